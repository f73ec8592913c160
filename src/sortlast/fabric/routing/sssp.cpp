// sssp, OpenSM's single-source shortest paths: for each destination in turn, the paths that all earlier ones
// use least.
//
// Hoefler, Schneider, Lumsdaine, "Optimized Routing for Large-Scale InfiniBand Networks" (2009); OpenSM
// 3.3.23, osm_ucast_dfsssp.c. Unlike in minhop, where a switch knows only its own ports, cables have weights
// for the whole fabric, so upper levels are balanced too. A search from the destination finds the lightest
// path from every switch; then each cable on these paths becomes heavier by the number of hosts that use it
// to this destination. One direction of a cable has its own weight.
//
// The tables depend on these orders. Destinations: hosts by switch, switches with most hosts first, among
// equals by GUID, on a switch by port (options.compute before all others); then the switches in the same
// order. Switches enter the heap of the search by GUID (see engine.hpp and distance_heap.hpp). Each LID of a
// host is a destination of its own and makes a plane, all planes of a host one after the other; switches have
// one LID. A switch counts as one host, because packets may come from it.
//
// All cables begin with the weight P^2, P being the number of LIDs, so that shorter paths are lighter.
// OpenSM's infinity is 2^31 - 1. It refuses a fabric if a switch is that far from the subnet manager; tables
// for other destinations may have holes. We refuse the fabric in both cases: with paths of 4 cables, at
// 23,171 LIDs at the latest. Routers between subnets are left out, as in OpenSM.
//
// A search takes S log S + C steps for S switches and C cables: the 12-ary 3-tree of 1,728 hosts takes 0.16 s
// of a core, a fabric of 1,644 hosts with director switches 0.06 s.
#include "sortlast/fabric/routing/sssp.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/fabric/routing/distance_heap.hpp"
#include "sortlast/fabric/topology/switch_graph.hpp"

namespace sortlast::fabric {

std::vector<std::int32_t> sssp_hosts(const Topology& topology, const RouteOptions& options) {
  const std::vector<std::vector<std::int32_t>> hosts = hosts_of_switches(topology);
  std::vector<std::int32_t> order;
  for (const std::int32_t s : switches_by_load(topology)) {
    for (const std::int32_t h : hosts[static_cast<std::size_t>(s)]) {
      if (!topology.host(h).router) order.push_back(h);
    }
  }
  std::vector<bool> computes(static_cast<std::size_t>(topology.hosts()));
  for (const std::int32_t h : options.compute) computes[static_cast<std::size_t>(h)] = true;
  std::stable_partition(order.begin(), order.end(),
                        [&](std::int32_t h) { return computes[static_cast<std::size_t>(h)]; });
  return order;
}

namespace {

constexpr std::uint64_t infinity = 0x7FFFFFFF;
constexpr std::size_t none = SIZE_MAX;

// Lightest paths from all switches to one destination after another.
class LightestPaths {
 public:
  LightestPaths(const Topology& topology, std::int32_t lmc)
      : topology_(topology),
        graph_(topology),
        by_guid_(switches_by_guid(topology)),
        switches_(static_cast<std::size_t>(topology.switches())),
        sources_(switches_, 1),
        paths_(switches_),
        done_(switches_) {
    // Count LIDs by switch, and all without routers.
    std::uint64_t lids = switches_;
    for (std::int32_t h = 0; h < topology.hosts(); ++h) {
      sources_[at(topology.switch_of(topology.attachment(h).vertex))] += std::uint64_t{1} << lmc;
      if (!topology.host(h).router) lids += std::uint64_t{1} << lmc;
    }
    weights_.assign(graph_.first_cable(graph_.switches()), lids * lids);
  }

  // Searches the paths to a host or switch, writes them to a plane, and adds to the weights of their cables.
  // Returns whether all switches are reached that cables connect to it.
  bool route(Vertex destination, std::int32_t plane, Tables& tables) {
    search(destination);
    std::size_t reached = 0;
    for (const std::int32_t s : order_) {
      const Path& path = paths_[at(s)];
      reached += path.distance < infinity;
      if (path.port > 0) tables.set(s, destination, path.port, plane);
    }
    add_weights();
    return reached == connected_to(order_.front());
  }

 private:
  struct Path {
    std::uint64_t distance = infinity;
    std::size_t cable = none;  // towards the switch, out of the one before it; none: from the destination
    std::int32_t before = -1;  // the next switch on the way to the destination
    std::int32_t port = 0;     // of the switch, towards the destination; 0: none
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

  void search(Vertex destination) {
    std::fill(paths_.begin(), paths_.end(), Path{});
    std::fill(done_.begin(), done_.end(), false);
    order_.clear();

    // Begin at the destination. A host is an item too, the last.
    const std::int32_t host = topology_.switches();
    std::vector<std::int32_t> items = by_guid_;
    if (topology_.is_host(destination)) items.push_back(host);
    heap_.reset(items, infinity);
    const std::int32_t first = topology_.is_host(destination) ? host : topology_.switch_of(destination);
    if (first != host) paths_[at(first)].distance = 0;
    heap_.decrease(first, 0);

    // Visit the nearest switch until all are.
    while (!heap_.empty()) {
      const std::int32_t s = heap_.pop();
      if (s == host) {
        const End& leaf = topology_.attachment(destination);
        approach(topology_.switch_of(leaf.vertex), {1, none, -1, leaf.port});
        continue;
      }
      done_[at(s)] = true;
      order_.push_back(s);
      std::size_t cable = graph_.first_cable(s);
      for (const SwitchCable& to : graph_.cables(s)) {
        const std::uint64_t distance = paths_[at(s)].distance + weights_[cable];
        if (to.other != s) approach(to.other, {distance, cable, s, to.other_port});
        ++cable;
      }
    }
  }

  void approach(std::int32_t s, const Path& path) {
    if (done_[at(s)] || path.distance >= paths_[at(s)].distance) return;
    paths_[at(s)] = path;
    heap_.decrease(s, path.distance);
  }

  // Each cable becomes heavier by the sources behind it: the switches further away first.
  void add_weights() {
    std::vector<std::uint64_t> behind = sources_;
    for (auto s = order_.rbegin(); s != order_.rend(); ++s) {
      const Path& path = paths_[at(*s)];
      if (path.cable == none) continue;
      weights_[path.cable] += behind[at(*s)];
      behind[at(path.before)] += behind[at(*s)];
    }
  }

  // Number of switches that cables connect to a switch, with itself.
  std::size_t connected_to(std::int32_t s) {
    if (part_.empty()) {
      part_.assign(switches_, 0);
      for (std::int32_t first = 0; first < graph_.switches(); ++first) {
        if (part_[at(first)] != 0) continue;
        const std::vector<std::int32_t> part =
            breadth_first(graph_, {first}, [&](std::int32_t, const SwitchCable& cable) {
              return cable.other != first && std::exchange(part_[at(cable.other)], 1) == 0;
            });
        for (const std::int32_t member : part) part_[at(member)] = part.size();
      }
    }
    return part_[at(s)];
  }

  const Topology& topology_;
  SwitchGraph graph_;
  std::vector<std::int32_t> by_guid_;
  std::size_t switches_;
  std::vector<std::uint64_t> sources_;  // LIDs by switch: of its hosts and itself
  std::vector<std::uint64_t> weights_;  // by cable, in its direction away from the destination
  std::vector<Path> paths_;             // by switch
  std::vector<bool> done_;              // by switch
  std::vector<std::int32_t> order_;     // switches as they were visited, the nearest first
  std::vector<std::size_t> part_;       // by switch: size of its part of the fabric
  DistanceHeap heap_;
};

}  // namespace

Outcome engine::sssp(const Topology& topology, const RouteOptions& options) {
  auto tables = std::make_shared<Tables>(topology, 1 << options.lmc);
  LightestPaths paths(topology, options.lmc);
  const auto too_far = [&](Vertex destination) {
    return refuse("a switch is too far from '" + topology.label(destination) +
                  "': distances, in which each cable counts with the square of the number of LIDs, end at " +
                  std::to_string(infinity));
  };
  for (const std::int32_t h : sssp_hosts(topology, options)) {
    for (std::int32_t plane = 0; plane < tables->planes(); ++plane) {
      if (!paths.route(h, plane, *tables)) return too_far(h);
    }
  }
  for (const std::int32_t s : switches_by_load(topology)) {
    const Vertex destination = topology.vertex_of_switch(s);
    if (!paths.route(destination, 0, *tables)) return too_far(destination);
    tables->set(s, destination, 0);
    for (std::int32_t other = 0; other < topology.switches(); ++other) {
      for (std::int32_t plane = 1; plane < tables->planes(); ++plane) {
        tables->set(other, destination, tables->port(other, destination), plane);
      }
    }
  }
  return {std::move(tables), ""};
}

}  // namespace sortlast::fabric
