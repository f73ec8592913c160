#include "sortlast/fabric/topology/switch_graph.hpp"

#include <algorithm>
#include <utility>

namespace sortlast::fabric {

SwitchGraph::SwitchGraph(const Topology& topology) {
  first_.reserve(static_cast<std::size_t>(topology.switches()) + 1);
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    first_.push_back(cables_.size());
    most_ports_ = std::max(most_ports_, topology.switch_at(s).ports);
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& end = topology.target(topology.channel(s, port));
      if (!end.connected() || topology.is_host(end.vertex)) continue;
      cables_.push_back({port, topology.switch_of(end.vertex), end.port});
    }
  }
  first_.push_back(cables_.size());
}

std::vector<std::int32_t> distances(const SwitchGraph& graph, const std::vector<std::int32_t>& sources) {
  std::vector<std::int32_t> distance(static_cast<std::size_t>(graph.switches()), -1);
  std::vector<std::int32_t> distinct;
  for (const std::int32_t s : sources) {
    if (std::exchange(distance[static_cast<std::size_t>(s)], 0) < 0) distinct.push_back(s);
  }
  breadth_first(graph, std::move(distinct), [&](std::int32_t s, const SwitchCable& cable) {
    std::int32_t& there = distance[static_cast<std::size_t>(cable.other)];
    if (there >= 0) return false;
    there = distance[static_cast<std::size_t>(s)] + 1;
    return true;
  });
  return distance;
}

}  // namespace sortlast::fabric
