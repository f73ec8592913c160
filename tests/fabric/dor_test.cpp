// dor: coordinates are put right one after the other, and all cables to a neighbour take their share.
#include <gtest/gtest.h>

#include <map>

#include "fabric/naive_hops.hpp"

namespace sortlast::fabric {
namespace {

std::int32_t coordinate(std::int32_t s, std::size_t axis, const std::vector<std::int32_t>& size) {
  for (std::size_t a = 0; a < axis; ++a) s /= size[a];
  return s % size[axis];
}

// The axis along which two neighbours lie.
std::size_t axis_between(std::int32_t a, std::int32_t b, const std::vector<std::int32_t>& size) {
  std::size_t axis = 0;
  while (coordinate(a, axis, size) == coordinate(b, axis, size)) ++axis;
  return axis;
}

TEST(Dor, GoesAlongXThenYThenZ) {
  const std::vector<std::int32_t> size = {4, 3, 5};
  for (const char* family : {"mesh:4,3,5", "torus:4,3,5"}) {
    const auto topology = shared_topology(family);
    const Routes routes = route(topology, "dor");
    const auto hops = naive_hops(*topology);
    for (std::int32_t a = 0; a < topology->hosts(); ++a) {
      for (std::int32_t b = 0; b < topology->hosts(); ++b) {
        if (a == b) continue;
        const std::vector<std::int32_t> way = switches_on_way(routes, a, b);
        EXPECT_EQ(way.size(), static_cast<std::size_t>(hops[static_cast<std::size_t>(
                                  leaf_of(*topology, a))][static_cast<std::size_t>(leaf_of(*topology, b))]) +
                                  1);
        std::size_t last = 0;
        for (std::size_t i = 1; i < way.size(); ++i) {
          const std::size_t axis = axis_between(way[i - 1], way[i], size);
          EXPECT_GE(axis, last) << family << " from " << a << " to " << b;
          last = axis;
        }
      }
    }
  }
}

// The same switches, hosts and cables, not known to be a grid.
std::shared_ptr<const Topology> without_shape(const Topology& grid) {
  TopologyBuilder builder(grid.name());
  for (std::int32_t s = 0; s < grid.switches(); ++s) builder.add_switch(grid.switch_at(s));
  for (std::int32_t h = 0; h < grid.hosts(); ++h) {
    builder.add_host(grid.host(h));
    builder.connect_host(h, leaf_of(grid, h), grid.attachment(h).port);
  }
  for (std::int32_t s = 0; s < grid.switches(); ++s) {
    for (std::int32_t port = 1; port <= grid.switch_at(s).ports; ++port) {
      const Channel c = grid.channel(s, port);
      const End& end = grid.target(c);
      if (!end.connected() || grid.is_host(end.vertex) || grid.reverse(c) < c) continue;
      builder.connect(s, port, grid.switch_of(end.vertex), end.port);
    }
  }
  return std::make_shared<const Topology>(std::move(builder).finish());
}

TEST(Dor, NeedsNoTablesOnAGridToSayTheSame) {
  for (const char* family :
       {"mesh:4,3,5", "mesh:7", "mesh:3,1,4;2", "mesh:2,2", "torus:4,3,5", "torus:6,1,5", "torus:8;3",
        "torus:3,4,3,5", "torus:2,4", "mesh:256", "mesh:255", "torus:510"}) {
    const auto topology = shared_topology(family);
    const Routes known = route(topology, "dor"), tabled = route(without_shape(*topology), "dor");
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      for (Vertex v = 0; v < topology->vertices(); ++v) {
        ASSERT_EQ(known.forwarding->port(s, v), tabled.forwarding->port(s, v))
            << family << ": switch " << s << " towards " << v;
      }
    }
  }
}

TEST(Dor, IsFreeOfCreditLoopsOnAMeshAndNotOnATorus) {
  EXPECT_TRUE(find_credit_loop(route(shared_topology("mesh:4,4,4"), "dor")).cycle.empty());
  EXPECT_FALSE(find_credit_loop(route(shared_topology("torus:4,4,4"), "dor")).cycle.empty());
}

TEST(Dor, SharesTheCablesToOneNeighbour) {
  // 3 cables between two switches of 9 hosts each.
  TopologyBuilder builder("dumbbell");
  for (const std::uint64_t guid : {1u, 2u}) builder.add_switch({.name = "s", .guid = guid, .ports = 12});
  for (std::int32_t h = 0; h < 18; ++h) {
    builder.add_host({.name = "h"});
    builder.connect_host(h, h / 9, 1 + h % 9);
  }
  for (std::int32_t port = 10; port <= 12; ++port) builder.connect(0, port, 1, port);
  const auto topology = std::make_shared<const Topology>(std::move(builder).finish());
  const Routes routes = route(topology, "dor");
  std::map<std::int32_t, int> used;
  for (std::int32_t h = 9; h < 18; ++h) ++used[routes.forwarding->port(0, h)];
  EXPECT_EQ(used, (std::map<std::int32_t, int>{{10, 3}, {11, 3}, {12, 3}}));
}

TEST(Dor, TakesOneOfManyNeighboursOnATree) {
  const auto topology = shared_topology("k-ary-n-tree:12,2");
  const Routes routes = route(topology, "dor");
  for (std::int32_t h = 12; h < 144; ++h) EXPECT_EQ(routes.forwarding->port(0, h), 13);
}

}  // namespace
}  // namespace sortlast::fabric
