// Routes made at random, and the trees with holes that they are tried on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"

namespace sortlast::fabric {

// For every destination and plane a random one of the shortest ways, whatever the fabric.
inline Routes random_routes(const std::shared_ptr<const Topology>& topology, unsigned seed,
                            std::int32_t planes = 1) {
  std::mt19937 random(seed);
  auto tables = std::make_shared<Tables>(*topology, planes);
  const auto switches = static_cast<std::size_t>(topology->switches());
  for (std::int32_t d = 0; d < topology->hosts(); ++d) {
    // Hops from each switch, outward from the one that d hangs on.
    const End at = topology->attachment(d);
    std::vector<std::int32_t> hops(switches, -1);
    std::deque<std::int32_t> left = {topology->switch_of(at.vertex)};
    hops[static_cast<std::size_t>(left.front())] = 0;
    const auto neighbour = [&](std::int32_t s, std::int32_t port) {
      const Vertex to = topology->target(topology->channel(s, port)).vertex;
      return to < topology->hosts() ? -1 : topology->switch_of(to);
    };
    for (; !left.empty(); left.pop_front()) {
      const std::int32_t s = left.front();
      for (std::int32_t port = 1; port <= topology->switch_at(s).ports; ++port) {
        const std::int32_t next = neighbour(s, port);
        if (next < 0 || hops[static_cast<std::size_t>(next)] >= 0) continue;
        hops[static_cast<std::size_t>(next)] = hops[static_cast<std::size_t>(s)] + 1;
        left.push_back(next);
      }
    }
    for (std::int32_t plane = 0; plane < planes; ++plane) {
      for (std::int32_t s = 0; s < topology->switches(); ++s) {
        std::vector<std::int32_t> ports;
        const std::int32_t here = hops[static_cast<std::size_t>(s)];
        if (here == 0) ports.push_back(at.port);
        for (std::int32_t port = 1; here > 0 && port <= topology->switch_at(s).ports; ++port) {
          const std::int32_t next = neighbour(s, port);
          if (next >= 0 && hops[static_cast<std::size_t>(next)] == here - 1) ports.push_back(port);
        }
        if (!ports.empty()) tables->set(s, d, ports[random() % ports.size()], plane);
      }
    }
  }
  return {topology, tables, "random", "random", ""};
}

// A tree of two levels whose leaves have different numbers of hosts and whose cables go to random spines;
// every leaf has one cable to spine 0. No host has two.
inline std::shared_ptr<const Topology> random_tree(unsigned seed) {
  std::mt19937 random(seed);
  const auto pick = [&](unsigned least, unsigned most) {
    return static_cast<std::int32_t>(least + random() % (most - least + 1));
  };
  TopologyBuilder builder("random tree " + std::to_string(seed));
  const std::int32_t leaves = pick(2, 5), spines = pick(1, 4);
  constexpr std::int32_t ports = 24;
  for (std::int32_t s = 0; s < leaves + spines; ++s) {
    builder.add_switch({.name = "switch " + std::to_string(s), .ports = ports}, s < leaves ? 1 : 2);
  }
  std::vector<std::int32_t> used(static_cast<std::size_t>(leaves + spines), 0);
  const auto port = [&](std::int32_t s) { return ++used[static_cast<std::size_t>(s)]; };
  for (std::int32_t leaf = 0; leaf < leaves; ++leaf) {
    for (std::int32_t h = pick(0, 5); h > 0; --h) {
      const std::int32_t host =
          builder.add_host({.name = "host " + std::to_string(leaf) + "." + std::to_string(h)});
      builder.connect_host(host, leaf, port(leaf));
    }
    for (std::int32_t u = 0, up = pick(1, 4); u < up; ++u) {
      const std::int32_t spine = leaves + (u == 0 ? 0 : pick(1, static_cast<unsigned>(spines)) - 1);
      builder.connect(leaf, port(leaf), spine, port(spine));
    }
  }
  return std::make_shared<const Topology>(std::move(builder).finish());
}

// Some of the hosts in random order, with some dummies between them.
inline Placement random_placement(const Topology& topology, unsigned seed) {
  std::mt19937 random(seed);
  Placement placement;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    if (random() % 4 != 0) placement.push_back(h);
    if (random() % 5 == 0) placement.push_back(-1);
  }
  if (placement.empty()) placement.push_back(-1);
  if (random() % 2 == 0) std::shuffle(placement.begin(), placement.end(), random);
  return placement;
}

}  // namespace sortlast::fabric
