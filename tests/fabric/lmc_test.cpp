// Planes (lmc > 0): which chassis, switches and cables those of one host share.
#include <gtest/gtest.h>

#include <set>

#include "fabric/naive_hops.hpp"

namespace sortlast::fabric {
namespace {

// Switches behind the ports that planes 0 .. count - 1 take.
std::set<std::int32_t> next_switches(const Routes& routes, std::int32_t s, std::int32_t h,
                                     std::int32_t count) {
  std::set<std::int32_t> next;
  for (std::int32_t plane = 0; plane < count; ++plane) {
    const Channel c = routes.topology->channel(s, routes.forwarding->port(s, h, plane));
    next.insert(routes.topology->switch_of(routes.topology->target(c).vertex));
  }
  return next;
}

TEST(Lmc, TheFirstPlaneIsThatOfASingleLid) {
  for (const char* family : {"k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2", "mesh:4,4"}) {
    const auto topology = shared_topology(family);
    for (const char* engine : {"minhop", "updn", "dor", "lash"}) {
      const Routes one = route(topology, engine), four = route(topology, engine, {.lmc = 2});
      EXPECT_EQ(one.forwarding->planes(), 1);
      EXPECT_EQ(four.forwarding->planes(), 4);
      for (std::int32_t s = 0; s < topology->switches(); ++s) {
        for (Vertex v = 0; v < topology->vertices(); ++v) {
          ASSERT_EQ(one.forwarding->port(s, v), four.forwarding->port(s, v, 0)) << family << ' ' << engine;
        }
      }
    }
  }
}

TEST(Lmc, PlanesLeadThroughDifferentSwitches) {
  const auto topology = shared_topology("pgft:8,4;1,4;1,2");  // 4 spines, 2 cables to each
  for (const char* engine : {"minhop", "updn"}) {
    const Routes routes = route(topology, engine, {.lmc = 3});
    for (std::int32_t leaf = 0; leaf < 4; ++leaf) {
      for (std::int32_t h = 0; h < topology->hosts(); ++h) {
        if (leaf_of(*topology, h) == leaf) continue;
        for (std::int32_t planes = 1; planes <= 4; ++planes) {
          EXPECT_EQ(next_switches(routes, leaf, h, planes).size(), static_cast<std::size_t>(planes));
        }
        std::set<std::int32_t> ports;
        for (std::int32_t plane = 0; plane < 8; ++plane)
          ports.insert(routes.forwarding->port(leaf, h, plane));
        EXPECT_EQ(ports.size(), 8u);
      }
    }
  }
}

TEST(Lmc, PlanesLeadThroughDifferentChassisFirst) {
  // 8 spines, the odd ones in one chassis, the even ones in another: two planes never share a chassis.
  TopologyBuilder builder("director");
  for (std::int32_t s = 0; s < 11; ++s) {
    Switch added{.name = "s", .guid = static_cast<std::uint64_t>(100 + s), .ports = 12};
    if (s >= 3) added.system_guid = static_cast<std::uint64_t>(200 + s % 2);
    builder.add_switch(added);
  }
  for (std::int32_t h = 0; h < 9; ++h) {
    builder.add_host({.name = "h"});
    builder.connect_host(h, h / 3, 1 + h % 3);
  }
  for (std::int32_t leaf = 0; leaf < 3; ++leaf) {
    for (std::int32_t spine = 0; spine < 8; ++spine) builder.connect(leaf, 4 + spine, 3 + spine, 1 + leaf);
  }
  const auto topology = std::make_shared<const Topology>(std::move(builder).finish());
  const Routes routes = route(topology, "minhop", {.lmc = 2});
  for (std::int32_t leaf = 0; leaf < 3; ++leaf) {
    for (std::int32_t h = 0; h < 9; ++h) {
      if (leaf_of(*topology, h) == leaf) continue;
      std::set<std::uint64_t> chassis;
      for (const std::int32_t spine : next_switches(routes, leaf, h, 2)) {
        chassis.insert(topology->switch_at(spine).system_guid);
      }
      EXPECT_EQ(chassis.size(), 2u);
      EXPECT_EQ(next_switches(routes, leaf, h, 4).size(), 4u);
    }
  }
}

TEST(Lmc, ManyPlanesShareSwitchesEvenly) {
  const auto topology = shared_topology("k-ary-n-tree:3,2");  // 3 spines for 8 planes
  const Routes routes = route(topology, "minhop", {.lmc = 3});
  for (std::int32_t h = 3; h < 9; ++h) {
    std::vector<int> used(7, 0);
    for (std::int32_t plane = 0; plane < 8; ++plane) {
      ++used[static_cast<std::size_t>(routes.forwarding->port(0, h, plane))];
    }
    for (std::size_t port = 4; port <= 6; ++port) EXPECT_NEAR(used[port], 8 / 3.0, 1) << "host " << h;
  }
}

TEST(Lmc, DorKeepsItsNeighbourAndSharesItsCables) {
  const auto topology = shared_topology("pgft:8,4;1,4;1,2");
  const Routes routes = route(topology, "dor", {.lmc = 1});
  for (std::int32_t h = 8; h < topology->hosts(); ++h) {
    EXPECT_EQ(next_switches(routes, 0, h, 2).size(), 1u);
    EXPECT_NE(routes.forwarding->port(0, h, 0), routes.forwarding->port(0, h, 1));
  }
}

TEST(Lmc, SwitchesHaveOneLid) {
  const auto topology = shared_topology("k-ary-n-tree:4,2");
  const Routes routes = route(topology, "minhop", {.lmc = 2});
  for (std::int32_t s = 0; s < topology->switches(); ++s) {
    for (std::int32_t to = 0; to < topology->switches(); ++to) {
      for (std::int32_t plane = 1; plane < 4; ++plane) {
        EXPECT_EQ(routes.forwarding->port(s, topology->vertex_of_switch(to), plane),
                  routes.forwarding->port(s, topology->vertex_of_switch(to)));
      }
    }
  }
}

// The vertex where a plane leads to from the switch of host a.
Vertex end_of_plane(const Routes& routes, std::int32_t a, std::int32_t b, std::int32_t plane) {
  const Topology& topology = *routes.topology;
  Vertex at = topology.attachment(a).vertex;
  for (std::int32_t step = 0; step <= topology.switches() && !topology.is_host(at); ++step) {
    const std::int32_t s = topology.switch_of(at);
    at = topology.target(topology.channel(s, routes.forwarding->port(s, b, plane))).vertex;
  }
  return at;
}

TEST(Lmc, EveryPlaneReachesEveryHost) {
  const auto topology = shared_topology("thin-tree:4,2,3");
  for (const char* engine : {"minhop", "updn", "dnup", "dor", "lash", "sssp", "dfsssp"}) {
    const Routes routes = route(topology, engine, {.lmc = 2});
    for (std::int32_t a = 0; a < topology->hosts(); ++a) {
      for (std::int32_t b = 0; b < topology->hosts(); ++b) {
        for (std::int32_t plane = 0; plane < 4; ++plane) {
          ASSERT_EQ(end_of_plane(routes, a, b, plane), b) << engine << ", plane " << plane;
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlast::fabric
