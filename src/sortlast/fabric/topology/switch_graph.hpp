// Switch graph: the cables between switches, and breadth-first search over them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// A cable from a port of one switch to a port of another (or of the same).
struct SwitchCable {
  std::int32_t port = 0;
  std::int32_t other = 0;  // switch
  std::int32_t other_port = 0;
};

// The cables of every switch to other switches, by port.
class SwitchGraph {
 public:
  explicit SwitchGraph(const Topology& topology) {
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

  std::int32_t switches() const { return static_cast<std::int32_t>(first_.size()) - 1; }
  std::int32_t most_ports() const { return most_ports_; }
  std::span<const SwitchCable> cables(std::int32_t s) const {
    return {cables_.data() + first_cable(s), first_cable(s + 1) - first_cable(s)};
  }
  // Number of a switch's first cable if the cables of all switches are counted in order; s may be switches().
  std::size_t first_cable(std::int32_t s) const { return first_[static_cast<std::size_t>(s)]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<SwitchCable> cables_;
  std::int32_t most_ports_ = 0;
};

// Breadth-first search over switches. Calls enter(s, cable) for every cable of every reached switch s, in the
// order in which they were reached; if it returns true, the switch at the other end is reached. Returns all
// reached switches, `sources` first.
template <typename Enter>
std::vector<std::int32_t> breadth_first(const SwitchGraph& graph, std::vector<std::int32_t> sources,
                                        Enter&& enter) {
  std::vector<std::int32_t> reached = std::move(sources);
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const std::int32_t s = reached[next];
    for (const SwitchCable& cable : graph.cables(s)) {
      if (enter(s, cable)) reached.push_back(cable.other);
    }
  }
  return reached;
}

// Number of cables from each switch to the nearest of `sources`; -1: there is no path.
inline std::vector<std::int32_t> distances(const SwitchGraph& graph,
                                           const std::vector<std::int32_t>& sources) {
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
