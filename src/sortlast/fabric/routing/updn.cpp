// updn, OpenSM's Up*/Down*: shortest paths that never go up after going down, balanced as in minhop.
//
// Roots have rank 0, all other switches the distance to the nearest root. A step to a lower rank is up;
// between equal ranks the step to the lower GUID is. Paths without a turn from down to up have no credit
// loops on any fabric. On an intact tree they are minhop's; if cables are missing, minhop may go down and up
// again.
//
// OpenSM (3.3.23, osm_ucast_updn.c) searches from each destination backwards, breadth first. We do the same,
// with its peculiarities, because the tables depend on them: hops are stored per port; a switch in the queue
// keeps the direction of its first arrival; and it is searched again whenever one of its ports finds a path,
// even if another port has a shorter one. The last is a flaw. A path that turns is rejected by the direction
// of the second arrival, but measured by the hops of the first. If a switch is reached by two paths of
// different direction, others may therefore be sent down and up again through it. This cannot happen if all
// paths to a switch have the same number of steps up; on irregular fabrics it may leave credit loops, which
// ibdmchk then also finds in OpenSM's tables (one in a few hundred small random networks; the test has an
// example).
//
// Roots are given or found: switches that have nearly all hosts (over 90 %) at one distance, and at most 5 %
// at any other distance.
#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"

namespace sortlast::fabric {

namespace {

constexpr std::size_t longest_way = 64;  // hops distinguished in the search for roots

// Switches with nearly all hosts at one distance.
std::vector<std::int32_t> find_roots(const Topology& topology, const SwitchGraph& graph) {
  const std::vector<std::vector<std::int32_t>> hosts = hosts_of_switches(topology);
  const auto switches = static_cast<std::size_t>(graph.switches());
  std::vector<std::int32_t> at_distance(switches * longest_way);
  for (std::int32_t leaf = 0; leaf < graph.switches(); ++leaf) {
    const auto here = static_cast<std::int32_t>(hosts[static_cast<std::size_t>(leaf)].size());
    if (here == 0) continue;
    const std::vector<std::uint8_t> hops = hops_to(graph, leaf);
    for (std::size_t s = 0; s < switches; ++s) {
      if (hops[s] < longest_way) at_distance[s * longest_way + hops[s]] += here;
    }
  }

  std::vector<std::int32_t> roots;
  for (std::size_t s = 0; s < switches; ++s) {
    const auto begin = at_distance.begin() + static_cast<std::ptrdiff_t>(s * longest_way);
    const auto over = [&](double part) {
      return std::count_if(begin, begin + longest_way,
                           [&](std::int32_t count) { return count > topology.hosts() * part; });
    };
    if (over(0.9) == 1 && over(0.05) == 1) roots.push_back(static_cast<std::int32_t>(s));
  }
  return roots;
}

class UpDown {
 public:
  UpDown(const Topology& topology, const SwitchGraph& graph, const std::vector<std::int32_t>& roots)
      : topology_(topology), graph_(graph), rank_(distances(graph, roots)) {
    for (std::int32_t s = 0; s < graph.switches(); ++s) {
      for (const SwitchCable& cable : graph.cables(s)) {
        const auto there = graph.cables(cable.other);
        const auto back = std::find_if(there.begin(), there.end(), [&](const SwitchCable& other) {
          return other.port == cable.other_port;
        });
        reverse_.push_back(graph.first_cable(cable.other) + static_cast<std::size_t>(back - there.begin()));
      }
    }
  }

  void ports_towards(std::int32_t destination, PortSets& ports) const {
    Search search(graph_, reverse_.size());
    search.least[static_cast<std::size_t>(destination)] = 0;
    search.queue.push_back(destination);
    while (!search.queue.empty()) {
      const std::int32_t s = search.queue.front();
      search.queue.pop_front();
      search.waits[static_cast<std::size_t>(s)] = false;
      visit(s, search);
    }

    ports.clear();
    for (std::int32_t s = 0; s < graph_.switches(); ++s) {
      std::size_t at = graph_.first_cable(s);
      for (const SwitchCable& cable : graph_.cables(s)) {
        const std::uint8_t hops = search.hops[at++];
        if (hops != no_hops && hops == search.least[static_cast<std::size_t>(s)]) ports.add(s, cable.port);
      }
    }
  }

 private:
  // Backwards from one destination: up means that the path itself goes down.
  struct Search {
    Search(const SwitchGraph& graph, std::size_t cables)
        : hops(cables, no_hops),
          least(static_cast<std::size_t>(graph.switches()), no_hops),
          waits(least.size()),
          goes_down(least.size()) {}

    std::vector<std::uint8_t> hops;   // by cable, from the switch whose port it is on
    std::vector<std::uint8_t> least;  // by switch
    std::vector<bool> waits;          // whether the switch is in the queue
    std::vector<bool> goes_down;      // the direction in which it was reached
    std::deque<std::int32_t> queue;
  };

  bool is_down(std::int32_t from, std::int32_t to) const {
    const auto a = static_cast<std::uint32_t>(rank_[static_cast<std::size_t>(from)]);
    const auto b = static_cast<std::uint32_t>(rank_[static_cast<std::size_t>(to)]);
    if (a == 0 && b == 0) return false;
    if (a != b) return a < b;
    return std::pair(topology_.switch_at(from).guid, from) <= std::pair(topology_.switch_at(to).guid, to);
  }

  void visit(std::int32_t s, Search& search) const {
    const bool came_down = search.goes_down[static_cast<std::size_t>(s)];
    std::size_t at = graph_.first_cable(s);
    for (const SwitchCable& cable : graph_.cables(s)) {
      const std::size_t back = reverse_[at++];
      const bool down = is_down(s, cable.other);
      if (came_down && !down) continue;
      const int hops = search.least[static_cast<std::size_t>(s)] + 1;
      if (hops >= search.hops[back]) continue;

      const auto other = static_cast<std::size_t>(cable.other);
      search.hops[back] = static_cast<std::uint8_t>(hops);
      search.least[other] = std::min(search.least[other], search.hops[back]);
      if (search.waits[other]) continue;
      search.waits[other] = true;
      search.goes_down[other] = down;
      search.queue.push_back(cable.other);
    }
  }

  const Topology& topology_;
  const SwitchGraph& graph_;
  std::vector<std::int32_t> rank_;    // -1, which sorts after all others: no root can be reached
  std::vector<std::size_t> reverse_;  // by cable: number of the same cable at its other end
};

}  // namespace

PortsTowards updn_ports(const Topology& topology, const SwitchGraph& graph, const RouteOptions& options) {
  const std::vector<std::int32_t> roots = options.roots.empty() ? find_roots(topology, graph) : options.roots;
  if (roots.empty()) return {};
  const auto up_down = std::make_shared<const UpDown>(topology, graph, roots);
  return [up_down](std::int32_t destination, PortSets& ports) { up_down->ports_towards(destination, ports); };
}

Outcome engine::updn(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const PortsTowards towards = updn_ports(topology, graph, options);
  if (!towards) {
    return refuse(
        "no roots are given, and none can be found, as no switch has over 90 % of the hosts at one distance "
        "and "
        "at most 5 % at any other");
  }
  return {balanced_tables(topology, graph, towards, options.lmc), ""};
}

}  // namespace sortlast::fabric
