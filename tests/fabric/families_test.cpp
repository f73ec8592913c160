// Families: sizes by the papers' formulas, wiring, levels, diameters, and the numbering that routing relies
// on.
#include "sortlast/fabric/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <queue>
#include <set>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast::fabric {
namespace {

std::int32_t power(std::int32_t base, std::int32_t exponent) {
  std::int32_t result = 1;
  for (; exponent > 0; --exponent) result *= base;
  return result;
}

std::int32_t switches_of_level(const Topology& topology, std::int32_t level) {
  std::int32_t count = 0;
  for (std::int32_t s = 0; s < topology.switches(); ++s) count += topology.level(s) == level ? 1 : 0;
  return count;
}

std::int32_t first_of_level(const Topology& topology, std::int32_t level) {
  std::int32_t s = 0;
  while (topology.level(s) != level) ++s;
  return s;
}

struct Reach {
  std::int32_t hosts = 0;    // that can be reached from one, itself included
  std::int32_t longest = 0;  // links to the farthest of them
};

Reach reach(const Topology& topology, std::int32_t from) {
  std::vector<std::int32_t> distance(static_cast<std::size_t>(topology.vertices()), -1);
  std::queue<Vertex> queue({from});
  distance[static_cast<std::size_t>(from)] = 0;
  const auto visit = [&](Vertex from_vertex, Channel c) {
    const End& end = topology.target(c);
    if (!end.connected() || distance[static_cast<std::size_t>(end.vertex)] >= 0) return;
    distance[static_cast<std::size_t>(end.vertex)] = distance[static_cast<std::size_t>(from_vertex)] + 1;
    queue.push(end.vertex);
  };
  for (; !queue.empty(); queue.pop()) {
    const Vertex v = queue.front();
    if (topology.is_host(v)) {
      visit(v, topology.channel_of_host(v));
      continue;
    }
    const std::int32_t s = topology.switch_of(v);
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port)
      visit(v, topology.channel(s, port));
  }
  Reach result;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    result.hosts += distance[static_cast<std::size_t>(h)] >= 0 ? 1 : 0;
    result.longest = std::max(result.longest, distance[static_cast<std::size_t>(h)]);
  }
  return result;
}

constexpr const char* trees[] = {"crossbar:12",
                                 "k-ary-n-tree:12,2",
                                 "k-ary-n-tree:4,3",
                                 "k-ary-n-tree:2,5",
                                 "var-ary-n-tree:3,2,4",
                                 "xgft:4,3,2;1,2,3",
                                 "pgft:8,4;1,4;1,2",
                                 "pgft:18,12;1,9;1,2",
                                 "rlft:8,3",
                                 "rlft:24,2",
                                 "pgft:3,2,4;1,2,2;1,3,2",
                                 "thin-tree:8,4,3",
                                 "thin-tree:5,3,3",
                                 "slender-tree:8,4,5",
                                 "slender-tree:6,2,4",
                                 "slender-tree:3,1,3",
                                 "gft:2,3,2"};

constexpr const char* grids[] = {"mesh:5",      "mesh:4,3;2", "mesh:3,4,5",    "torus:4",
                                 "torus:4,3;2", "torus:2,3",  "torus:3,4,5;1", "torus:1,4"};

constexpr const char* low_diameter[] = {
    "dragonfly:2,4,2,9",    "dragonfly:1,4,2,4",    "dragonfly:3,2,1,1", "dragonfly+:2,2,2,2,5",
    "dragonfly+:3,4,2,3,4", "dragonfly+:1,1,3,1,2", "hyperx:4",          "hyperx:3,4,2;2",
    "hyperx:1,5;3"};

class EveryFamily : public testing::TestWithParam<const char*> {};
class EveryTree : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Trees, EveryFamily, testing::ValuesIn(trees));
INSTANTIATE_TEST_SUITE_P(Grids, EveryFamily, testing::ValuesIn(grids));
INSTANTIATE_TEST_SUITE_P(LowDiameter, EveryFamily, testing::ValuesIn(low_diameter));
INSTANTIATE_TEST_SUITE_P(Trees, EveryTree, testing::ValuesIn(trees));

TEST_P(EveryFamily, WiringIsABijectionOfConnectedPorts) {
  const Topology topology = make_topology(GetParam());
  std::set<std::pair<Vertex, std::int32_t>> entered;
  std::int64_t connected = 0;
  for (Channel c = 0; c < topology.channels(); ++c) {
    const End& end = topology.target(c);
    if (!end.connected()) continue;
    ++connected;
    EXPECT_TRUE(entered.emplace(end.vertex, end.port).second) << "two cables in one port";
    EXPECT_EQ(topology.reverse(topology.reverse(c)), c);
    EXPECT_EQ(topology.source(topology.reverse(c)), end);
  }
  EXPECT_EQ(connected, 2 * topology.links());
}

TEST_P(EveryFamily, NamesAndGuidsAreUnique) {
  const Topology topology = make_topology(GetParam());
  std::set<std::uint64_t> guids;
  std::set<std::string> names;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    EXPECT_TRUE(guids.insert(topology.switch_at(s).guid).second);
    EXPECT_TRUE(names.insert(topology.switch_at(s).name).second);
  }
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    EXPECT_TRUE(guids.insert(topology.host(h).port_guid).second);
    EXPECT_EQ(topology.host(h).port_guid,
              topology.host(h).guid + static_cast<unsigned>(topology.host(h).port));
  }
}

TEST_P(EveryTree, LinksJoinNeighbouringLevels) {
  const Topology topology = make_topology(GetParam());
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    EXPECT_EQ(topology.level(topology.switch_of(topology.attachment(h).vertex)), 1);
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    bool upward = false;
    for (std::int32_t port = 1; port <= topology.switch_at(s).ports; ++port) {
      const End& end = topology.target(topology.channel(s, port));
      ASSERT_TRUE(end.connected()) << "trees have no idle ports";
      const std::int32_t other =
          topology.is_host(end.vertex) ? 0 : topology.level(topology.switch_of(end.vertex));
      EXPECT_EQ(std::abs(other - topology.level(s)), 1);
      EXPECT_FALSE(upward && other < topology.level(s)) << "down-ports come before up-ports";
      upward = other > topology.level(s);
    }
    EXPECT_EQ(upward, topology.level(s) < topology.levels());
  }
}

// From any host the farthest other lies 2 h links away, if the roots have two children at least. The w_1 p_1
// cables of an adapter lead into planes that share no switch.
TEST_P(EveryTree, DiameterIsTwiceTheHeight) {
  const Topology topology = make_topology(GetParam());
  for (const std::int32_t from : {0, topology.hosts() / 2, topology.hosts() - 1}) {
    EXPECT_EQ(reach(topology, from).longest, 2 * topology.levels());
    EXPECT_EQ(reach(topology, from).hosts, topology.hosts() / topology.host(topology.hosts() - 1).port);
  }
}

TEST(KAryNTree, HasPetrinisCounts) {
  for (const auto& [k, n] : {std::pair(12, 2), std::pair(4, 3), std::pair(2, 6), std::pair(7, 1)}) {
    const Topology topology = k_ary_n_tree(k, n);
    EXPECT_EQ(topology.hosts(), power(k, n));
    EXPECT_EQ(topology.switches(), n * power(k, n - 1));
    EXPECT_EQ(topology.links(), static_cast<std::int64_t>(n) * power(k, n));
  }
}

TEST(VarAryNTree, IsAsWideUpAsDown) {
  const Topology topology = var_ary_n_tree({3, 2, 4});
  EXPECT_EQ(topology.hosts(), 3 * 2 * 4);
  EXPECT_EQ(topology.links(), 3 * topology.hosts());
  EXPECT_EQ(switches_of_level(topology, 1), 8);
  EXPECT_EQ(switches_of_level(topology, 2), 12);
  EXPECT_EQ(switches_of_level(topology, 3), 6);
  EXPECT_EQ(std::get<TreeShape>(var_ary_n_tree({5, 5, 5}).shape()),
            std::get<TreeShape>(k_ary_n_tree(5, 3).shape()));
}

TEST(Xgft, HasOehringsCounts) {
  const Counts m = {4, 3, 2}, w = {1, 2, 3};
  const Topology topology = xgft(m, w);
  EXPECT_EQ(topology.hosts(), 24);
  EXPECT_EQ(switches_of_level(topology, 1), 3 * 2 * 1);
  EXPECT_EQ(switches_of_level(topology, 2), 2 * 1 * 2);
  EXPECT_EQ(switches_of_level(topology, 3), 1 * 2 * 3);
}

// GFT(h, m, w) has m^(h-l) w^l vertices of level l, and m^h processors with w cables each.
TEST(Gft, HasAdaptersOfSeveralPorts) {
  const Topology topology = gft(2, 3, 2);
  EXPECT_EQ(topology.hosts(), 9 * 2);
  EXPECT_EQ(switches_of_level(topology, 1), 3 * 2);
  EXPECT_EQ(switches_of_level(topology, 2), 4);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(topology.shape()));
  for (std::int32_t a = 0; a < 9; ++a) {
    const Host &one = topology.host(2 * a), &two = topology.host(2 * a + 1);
    EXPECT_EQ(one.guid, two.guid);
    EXPECT_EQ(one.port, 1);
    EXPECT_EQ(two.port, 2);
    EXPECT_NE(topology.attachment(2 * a).vertex, topology.attachment(2 * a + 1).vertex);
  }
}

// Up-port q of a vertex leads to parent q mod w, copy q div w; the child's port on it likewise.
TEST(Pgft, StridesParallelLinks) {
  const Topology topology = pgft({3, 4}, {1, 2}, {1, 3});
  ASSERT_EQ(topology.switches(), 4 + 2);
  for (std::int32_t leaf = 0; leaf < 4; ++leaf) {
    for (std::int32_t q = 0; q < 6; ++q) {
      EXPECT_EQ(topology.target(topology.channel(leaf, 3 + 1 + q)),
                (End{topology.vertex_of_switch(4 + q % 2), 1 + leaf + 4 * (q / 2)}));
    }
  }
}

TEST(Rlft, HasTheCountsThatPeopleBuy) {
  EXPECT_EQ(rlft(36, 3).hosts(), 11664);
  EXPECT_EQ(rlft(36, 3).switches(), 1620);
  EXPECT_EQ(rlft(24, 2).hosts(), 288);
  EXPECT_EQ(rlft(64, 3).hosts(), 65536);
  EXPECT_EQ(rlft(36, 1).hosts(), 36);
  for (const auto& [ports, levels] : {std::pair(4, 4), std::pair(36, 2), std::pair(8, 1)}) {
    const Topology topology = rlft(ports, levels);
    EXPECT_EQ(topology.hosts(), 2 * power(ports / 2, levels));
    EXPECT_EQ(why_no_rlft(std::get<TreeShape>(topology.shape())), "");
    for (std::int32_t s = 0; s < topology.switches(); ++s) EXPECT_EQ(topology.switch_at(s).ports, ports);
  }
}

TEST(Rlft, SaysWhatAnotherTreeLacks) {
  EXPECT_EQ(
      why_no_rlft({{18, 12}, {1, 9}, {1, 2}}),
      "switches of level 1 have 18 ports down and 18 up, those of level 2 have 24 down; all switches of an "
      "RLFT use the same number of ports");
  EXPECT_EQ(
      why_no_rlft({{18, 36}, {1, 9}, {1, 1}}),
      "switches of level 1 have 18 ports down and 9 up; constant cross-bisectional bandwidth needs as many "
      "up as down");
  EXPECT_EQ(why_no_rlft({{18, 18}, {1, 9}, {1, 2}}), "");
  EXPECT_EQ(why_no_rlft({{4}, {2}, {1}}), "hosts have 2 cables; an RLFT has one a host");
  EXPECT_EQ(why_no_rlft({}), "it has no levels");
  EXPECT_EQ(why_no_rlft({{4, 4}, {1, 4}, {1}}), "m, w and p differ in their number of levels");
}

struct Narrowed {
  std::int32_t k, up, n;
};

// Table 2 a) and the complete networks of b) of Navaridas et al.; the other trees by their formulas.
TEST(ThinTree, FollowsThePapersFormulas) {
  for (const auto& [k, up, n] :
       {Narrowed{8, 8, 4}, {8, 4, 4}, {8, 2, 4}, {6, 6, 5}, {9, 3, 4}, {5, 3, 3}, {4, 1, 3}}) {
    const Topology topology = thin_tree(k, up, n);
    EXPECT_EQ(topology.hosts(), power(k, n));
    EXPECT_EQ(topology.links(), static_cast<std::int64_t>(k) * topology.switches());
    for (std::int32_t l = 0; l < n; ++l) {
      const std::int32_t first = first_of_level(topology, l + 1), size = power(k, n - 1 - l) * power(up, l);
      EXPECT_EQ(switches_of_level(topology, l + 1), size);
      if (l + 1 == n) continue;
      const std::int32_t next = first_of_level(topology, l + 2);
      for (std::int32_t s = 0; s < size; ++s) {
        for (std::int32_t p = 0; p < up; ++p) {
          const std::int32_t upper =
              p * power(up, l) + s % power(up, l) + s / (k * power(up, l)) * power(up, l + 1);
          const std::int32_t down = s / power(up, l) % k;
          ASSERT_EQ(topology.target(topology.channel(first + s, k + 1 + p)),
                    (End{topology.vertex_of_switch(next + upper), 1 + down}));
        }
      }
    }
  }
  EXPECT_EQ(thin_tree(8, 4, 4).switches(), 960);
  EXPECT_EQ(thin_tree(6, 6, 5).hosts(), 7776);
}

TEST(ThinTree, IsAFatTreeWithoutNarrowing) {
  EXPECT_EQ(thin_tree(4, 4, 3).shape(), k_ary_n_tree(4, 3).shape());
  EXPECT_EQ(thin_tree(4, 4, 3).name(), "4,3-fat-tree");
  EXPECT_EQ(thin_tree(4, 2, 3).name(), "4:2,3-thin-tree");
}

TEST(SlenderTree, FollowsThePapersFormulas) {
  for (const auto& [k, up, n] : {Narrowed{8, 4, 8}, {8, 2, 5}, {9, 3, 6}, {4, 2, 4}, {3, 1, 3}}) {
    const Topology topology = slender_tree(k, up, n);
    EXPECT_EQ(topology.hosts(), up * up * power(k / up, n));
    EXPECT_EQ(topology.links(), static_cast<std::int64_t>(k) * topology.switches());
    for (std::int32_t l = 0; l < n; ++l) {
      const std::int32_t first = first_of_level(topology, l + 1), size = up * power(k / up, n - 1 - l);
      EXPECT_EQ(switches_of_level(topology, l + 1), size);
      if (l + 1 == n) continue;
      for (std::int32_t s = 0; s < size; ++s) {
        for (std::int32_t p = 0; p < up; ++p) {
          ASSERT_EQ(topology.target(topology.channel(first + s, k + 1 + p)),
                    (End{topology.vertex_of_switch(first_of_level(topology, l + 2) + up * (s / k) + p),
                         1 + s % k}));
        }
      }
    }
    EXPECT_EQ(std::get<SlenderShape>(topology.shape()), (SlenderShape{k, up, n}));
  }
}

// "4:2,2-slender-tree, identical to a 4:2,2-thin-tree" (section 2.3).
TEST(SlenderTree, OfTwoLevelsIsAThinTree) {
  const Topology slender = slender_tree(4, 2, 2), thin = thin_tree(4, 2, 2);
  ASSERT_EQ(slender.channels(), thin.channels());
  for (Channel c = 0; c < slender.channels(); ++c) EXPECT_EQ(slender.target(c), thin.target(c));
}

TEST(Grid, PortsLeadOneStepAlongEachDimension) {
  const Topology topology = torus({3, 4, 5}, 2);
  ASSERT_EQ(topology.switches(), 60);
  ASSERT_EQ(topology.hosts(), 120);
  const auto number = [](std::int32_t x, std::int32_t y, std::int32_t z) {
    return (x + 3) % 3 + 3 * ((y + 4) % 4) + 12 * ((z + 5) % 5);
  };
  for (std::int32_t s = 0; s < 60; ++s) {
    const std::int32_t x = s % 3, y = s / 3 % 4, z = s / 12;
    const std::int32_t neighbours[] = {number(x - 1, y, z), number(x + 1, y, z), number(x, y - 1, z),
                                       number(x, y + 1, z), number(x, y, z - 1), number(x, y, z + 1)};
    for (std::int32_t i = 0; i < 6; ++i) {
      EXPECT_EQ(topology.target(topology.channel(s, 3 + i)),
                (End{topology.vertex_of_switch(neighbours[i]), 3 + (i ^ 1)}));
    }
    EXPECT_EQ(topology.attachment(2 * s + 1), (End{topology.vertex_of_switch(s), 2}));
  }
  EXPECT_EQ(topology.switch_at(number(2, 1, 4)).name, "sw-2-1-4");
  EXPECT_EQ(topology.levels(), 0);
}

TEST(Grid, MeshesEndAtTheirFaces) {
  const Topology topology = mesh({4, 3});
  EXPECT_EQ(topology.links(), 12 + 3 * 3 + 4 * 2);
  EXPECT_FALSE(topology.target(topology.channel(0, 2)).connected());
  EXPECT_EQ(reach(topology, 0).longest, 2 + 3 + 2);
  EXPECT_EQ(reach(torus({4, 3}), 0).longest, 2 + 2 + 1);
}

TEST(Grid, TorusOfSizeTwoHasBothLinks) {
  const Topology topology = torus({2, 1});
  EXPECT_EQ(topology.links(), 2 + 2);
  EXPECT_EQ(topology.target(topology.channel(0, 2)), (End{topology.vertex_of_switch(1), 3}));
  EXPECT_EQ(topology.target(topology.channel(0, 3)), (End{topology.vertex_of_switch(1), 2}));
}

TEST(Families, RefuseParametersThatMakeNoFabric) {
  EXPECT_THROW(crossbar(0), ArgumentError);
  EXPECT_THROW(k_ary_n_tree(4, 0), ArgumentError);
  EXPECT_THROW(k_ary_n_tree(0, 2), ArgumentError);
  EXPECT_THROW(k_ary_n_tree(100, 9), ArgumentError);
  EXPECT_THROW(k_ary_n_tree(2, 2000000000), ArgumentError);
  EXPECT_THROW(var_ary_n_tree({}), ArgumentError);
  EXPECT_THROW(xgft({4, 4}, {1}), ArgumentError);
  EXPECT_THROW(gft(-1, 2, 2), ArgumentError);
  EXPECT_THROW(pgft({4, 4}, {1, 4}, {1}), ArgumentError);
  EXPECT_THROW(pgft({4, 4}, {1, 2000000000}, {1, 2000000000}), ArgumentError);
  EXPECT_THROW(xgft(Counts(33, 1), Counts(33, 1)), ArgumentError);
  EXPECT_THROW(rlft(7, 2), ArgumentError);
  EXPECT_THROW(rlft(0, 2), ArgumentError);
  EXPECT_THROW(thin_tree(4, 5, 2), ArgumentError);
  EXPECT_THROW(slender_tree(4, 4, 2), ArgumentError);
  EXPECT_THROW(slender_tree(6, 4, 2), ArgumentError);
  EXPECT_THROW(slender_tree(8, 4, 2000000000), ArgumentError);
  EXPECT_THROW(torus({}), ArgumentError);
  EXPECT_THROW(torus({4, 0}), ArgumentError);
  EXPECT_THROW(mesh({4}, -1), ArgumentError);
  EXPECT_THROW(mesh(Counts(40, 2)), ArgumentError);
  EXPECT_THROW(dragonfly(2, 4, 2, 10), ArgumentError);
  EXPECT_THROW(dragonfly(2, 0, 2, 1), ArgumentError);
  EXPECT_THROW(dragonfly(-1, 4, 2, 9), ArgumentError);
  EXPECT_THROW(dragonfly(1, 2000000000, 2000000000, 2000000000), ArgumentError);
  EXPECT_THROW(dragonfly_plus(2, 2, 2, 2, 6), ArgumentError);
  EXPECT_THROW(dragonfly_plus(2, 2, 0, 2, 1), ArgumentError);
  EXPECT_THROW(dragonfly_plus(2000000000, 2000000000, 2000000000, 2, 2), ArgumentError);
  EXPECT_THROW(hyperx({}), ArgumentError);
  EXPECT_THROW(hyperx({4, 0}), ArgumentError);
  EXPECT_THROW(hyperx({4}, -1), ArgumentError);
  EXPECT_THROW(hyperx({2000000000, 2000000000}), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
