// Hops between switches by Floyd and Warshall, and what else tests of routing need to know in another way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

constexpr std::int32_t naive_no_way = 1 << 20;

// [a][b]: hops from switch a to switch b.
inline std::vector<std::vector<std::int32_t>> naive_hops(const Topology& topology) {
  const auto n = static_cast<std::size_t>(topology.switches());
  std::vector hops(n, std::vector(n, naive_no_way));
  for (std::size_t s = 0; s < n; ++s) {
    hops[s][s] = 0;
    for (std::int32_t port = 1; port <= topology.switch_at(static_cast<std::int32_t>(s)).ports; ++port) {
      const Vertex to = topology.target(topology.channel(static_cast<std::int32_t>(s), port)).vertex;
      if (to < topology.hosts()) continue;
      std::int32_t& there = hops[s][static_cast<std::size_t>(topology.switch_of(to))];
      there = std::min(there, 1);
    }
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = 0; b < n; ++b) hops[a][b] = std::min(hops[a][b], hops[a][via] + hops[via][b]);
    }
  }
  return hops;
}

inline std::int32_t leaf_of(const Topology& topology, std::int32_t host) {
  return topology.switch_of(topology.attachment(host).vertex);
}

// Switches on the way between two hosts, in order.
inline std::vector<std::int32_t> switches_on_way(const Routes& routes, std::int32_t source,
                                                 std::int32_t destination) {
  std::vector<std::int32_t> switches;
  for (const Channel c : walk(routes, source, destination)) {
    const Vertex to = routes.topology->target(c).vertex;
    if (!routes.topology->is_host(to)) switches.push_back(routes.topology->switch_of(to));
  }
  return switches;
}

inline std::shared_ptr<const Topology> shared_topology(const std::string& family) {
  return std::make_shared<const Topology>(make_topology(family));
}

}  // namespace sortlast::fabric
