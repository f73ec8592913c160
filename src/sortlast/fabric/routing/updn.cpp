// updn, OpenSM's Up*/Down*: shortest paths that never go up after going down, balanced as in minhop.
//
// Roots have rank 0, all other switches the distance to the nearest root. A step to a lower rank is up;
// between equal ranks the step to the lower GUID is. Paths without a turn from down to up have no credit
// loops on any fabric. On an intact tree they are minhop's; if cables are missing, minhop may go down and up
// again.
//
// OpenSM (3.3.23, osm_ucast_updn.c) searches from each destination backwards, breadth first. We do the same,
// with its peculiarities (see turn_search.hpp). One is a flaw: a switch is searched again even if another of
// its ports has a shorter path. A path that turns is rejected by the direction of the second arrival, but
// measured by the hops of the first. If a switch is reached by two paths of different direction, others may
// therefore be sent down and up again through it. This cannot happen if all paths to a switch have the same
// number of steps up; on irregular fabrics it may leave credit loops, which ibdmchk then also finds in
// OpenSM's tables (one in a few hundred small random networks; the test has an example).
//
// Roots are given or found: switches that have nearly all hosts (over 90 %) at one distance, and at most 5 %
// at any other distance.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"
#include "sortlast/fabric/routing/turn_search.hpp"

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

// By cable: up to a lower rank, or to the lower GUID of equal ranks.
std::vector<TurnSearch::Direction> directions(const Topology& topology, const SwitchGraph& graph,
                                              const std::vector<std::int32_t>& roots) {
  const std::vector<std::int32_t> ranks = distances(graph, roots);
  // -1, which sorts after all others: no root can be reached.
  const auto rank = [&](std::int32_t s) {
    return static_cast<std::uint32_t>(ranks[static_cast<std::size_t>(s)]);
  };
  const auto is_down = [&](std::int32_t from, std::int32_t to) {
    if (rank(from) == 0 && rank(to) == 0) return false;
    if (rank(from) != rank(to)) return rank(from) < rank(to);
    return std::pair(topology.switch_at(from).guid, from) <= std::pair(topology.switch_at(to).guid, to);
  };
  std::vector<TurnSearch::Direction> found;
  for (std::int32_t s = 0; s < graph.switches(); ++s) {
    for (const SwitchCable& cable : graph.cables(s)) {
      found.push_back(is_down(s, cable.other) ? TurnSearch::Direction::down : TurnSearch::Direction::up);
    }
  }
  return found;
}

}  // namespace

PortsTowards updn_ports(const Topology& topology, const SwitchGraph& graph, const RouteOptions& options) {
  const std::vector<std::int32_t> roots = options.roots.empty() ? find_roots(topology, graph) : options.roots;
  if (roots.empty()) return {};
  const auto search = std::make_shared<const TurnSearch>(graph, directions(topology, graph, roots));
  return [search](std::int32_t destination, PortSets& ports) { search->ports_towards(destination, ports); };
}

Outcome engine::updn(const Topology& topology, const RouteOptions& options) {
  const SwitchGraph graph(topology);
  const PortsTowards towards = updn_ports(topology, graph, options);
  if (!towards) {
    return refuse(
        "no roots are given, and none can be found, as no switch has over 90 % of the hosts at one distance "
        "and at most 5 % at any other");
  }
  return {balanced_tables(topology, graph, towards, options.lmc), ""};
}

}  // namespace sortlast::fabric
