// Levels found from cables alone, beside those that the families were built with.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {
namespace {

std::vector<std::int32_t> built_levels(const Topology& topology) {
  std::vector<std::int32_t> levels;
  for (std::int32_t s = 0; s < topology.switches(); ++s) levels.push_back(topology.level(s));
  return levels;
}

std::vector<std::int32_t> built_roots(const Topology& topology) {
  std::vector<std::int32_t> roots;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (topology.level(s) == topology.levels()) roots.push_back(s);
  }
  return roots;
}

// The same with an adapter more on a new last port of each of `switches`.
Topology with_adapters(const Topology& topology, const std::vector<std::int32_t>& switches) {
  TopologyBuilder builder(topology.name());
  for (std::int32_t h = 0; h < topology.hosts(); ++h) builder.add_host(topology.host(h));
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    Switch added = topology.switch_at(s);
    ++added.ports;
    builder.add_switch(added);
  }
  for (Channel c = 0; c < topology.channels(); ++c) {
    const End from = topology.source(c), to = topology.target(c);
    if (!to.connected() || c > topology.reverse(c)) continue;
    if (topology.is_host(from.vertex)) {
      builder.connect_host(from.vertex, topology.switch_of(to.vertex), to.port);
    } else {
      builder.connect(topology.switch_of(from.vertex), from.port, topology.switch_of(to.vertex), to.port);
    }
  }
  for (const std::int32_t s : switches) {
    const std::int32_t h = builder.add_host({.name = "Aggregation Node " + std::to_string(s)});
    builder.connect_host(h, s, topology.switch_at(s).ports + 1);
  }
  return std::move(builder).finish();
}

std::vector<std::int32_t> all_switches(const Topology& topology) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(topology.switches()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

const char* const trees[] = {
    "crossbar:5",       "k-ary-n-tree:12,2", "k-ary-n-tree:4,3",   "k-ary-n-tree:2,5",   "xgft:4,3,2;1,2,3",
    "pgft:8,4;1,4;1,2", "thin-tree:8,4,3",   "slender-tree:8,4,5", "slender-tree:3,1,3", "rlft:8,3"};

class RankedTree : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Levels, RankedTree, testing::ValuesIn(trees));

TEST_P(RankedTree, LevelsAreFoundFromItsCables) {
  const Topology topology = make_topology(GetParam());
  const Levels found = rank_switches(topology);
  EXPECT_EQ(found.why, "");
  EXPECT_EQ(found.level, built_levels(topology));
  EXPECT_EQ(found.roots, built_roots(topology));
}

TEST_P(RankedTree, LevelsFollowFromItsRoots) {
  const Topology topology = make_topology(GetParam());
  const Levels found = rank_switches(topology, built_roots(topology));
  EXPECT_EQ(found.why, "");
  EXPECT_EQ(found.level, built_levels(topology));
  EXPECT_EQ(found.roots, built_roots(topology));
}

// As the aggregation nodes of real fabrics do.
TEST(Levels, AreFoundWithAnAdapterOnEverySwitch) {
  for (const char* tree : {"crossbar:5", "k-ary-n-tree:12,2", "k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2",
                           "thin-tree:8,4,3", "slender-tree:8,4,5", "rlft:8,3"}) {
    const Topology topology = make_topology(tree);
    const Topology busy = with_adapters(topology, all_switches(topology));
    ASSERT_EQ(busy.levels(), 0);
    for (const auto& roots : {std::vector<std::int32_t>{}, built_roots(topology)}) {
      const Levels found = rank_switches(busy, roots);
      EXPECT_EQ(found.why, "") << tree;
      EXPECT_EQ(found.level, built_levels(topology)) << tree;
      EXPECT_EQ(found.roots, built_roots(topology)) << tree;
    }
  }
}

TEST(Levels, AreFoundWithOneAdapterOnASpine) {
  const Topology topology = k_ary_n_tree(4, 3);
  for (const std::int32_t s : {0, 16, 32, 47}) {
    EXPECT_EQ(rank_switches(with_adapters(topology, {s})).level, built_levels(topology));
  }
}

TEST(Levels, AreFoundWithHostsAndCablesMissing) {
  const Topology whole = k_ary_n_tree(4, 3);
  std::vector<Channel> cut;
  for (const std::int32_t leaf : {0, 3, 9}) cut.push_back(whole.channel(leaf, 4 + 1 + leaf % 4));
  cut.push_back(whole.channel(20, 4 + 2));
  const Topology part = without_hosts(without_links(whole, cut), {0, 1, 17, 40, 41, 42});
  EXPECT_EQ(rank_switches(part).why, "");
  EXPECT_EQ(rank_switches(part).level, built_levels(whole));
}

TEST(Levels, OfALeafWithoutHostsAreThoseOfTheOthers) {
  const Topology whole = k_ary_n_tree(4, 2);
  const Topology part = without_hosts(whole, {0, 1, 2, 3});
  EXPECT_EQ(rank_switches(part).level, built_levels(whole));
  EXPECT_EQ(rank_switches(part, {4, 5, 6, 7}).level, built_levels(whole));
}

// More hosts than are looked at, on more leaves.
TEST(Levels, AreFoundFromASampleOfTheHosts) {
  const Topology topology = rlft(16, 3);
  ASSERT_GT(topology.hosts(), 4 * 256 - 1);
  EXPECT_EQ(rank_switches(topology).level, built_levels(topology));
}

// Narrow trees: roots with one child, and planes that share no switch.
TEST(Levels, AreFoundWhereMostHostsAreNear) {
  for (const char* tree : {"xgft:4,1;1,3", "k-ary-n-tree:1,4", "gft:2,3,2"}) {
    const Topology topology = make_topology(tree);
    EXPECT_EQ(rank_switches(topology).level, built_levels(topology)) << tree;
  }
}

TEST(Levels, SayWhyAFabricIsNoTree) {
  for (const char* grid : {"torus:3,4", "mesh:4,4", "torus:4,4,4;2", "mesh:2"}) {
    const Levels found = rank_switches(make_topology(grid));
    EXPECT_EQ(found.level, std::vector<std::int32_t>(found.level.size(), 0)) << grid;
    EXPECT_TRUE(found.roots.empty());
    EXPECT_NE(
        found.why.find("joins two switches that are equally far from the switches with hosts (0 links)"),
        std::string::npos)
        << found.why;
  }
}

TEST(Levels, AreNotFoundInAMeshWithOneBusyCorner) {
  EXPECT_NE(rank_switches(with_adapters(mesh({4, 4}), {0})).why, "");
}

TEST(Levels, NameARootThatWasLeftOut) {
  EXPECT_EQ(rank_switches(k_ary_n_tree(4, 2), {4, 5, 6}).why,
            "switch 'sw-L2-0003' lies below the leaf switch 'sw-L1-0000'; is it a root that was not given?");
  EXPECT_NE(rank_switches(mesh({3, 3}), {0, 1}).why.find("equally far from the roots"), std::string::npos);
}

TEST(Levels, NameASwitchThatCannotBeReached) {
  TopologyBuilder builder("two islands");
  builder.add_switch({.name = "a", .ports = 2});
  builder.add_switch({.name = "b", .ports = 2});
  builder.add_host({.name = "x"});
  builder.connect_host(0, 0, 1);
  EXPECT_EQ(rank_switches(std::move(builder).finish()).why,
            "switch 'b' cannot be reached from the switches with hosts");
  TopologyBuilder bare("bare");
  bare.add_switch({.name = "a", .ports = 2});
  EXPECT_EQ(rank_switches(std::move(bare).finish()).why, "it has no hosts");
}

TEST(Levels, RefuseARootThatDoesNotExist) {
  EXPECT_THROW(rank_switches(crossbar(3), {1}), ArgumentError);
  EXPECT_THROW(rank_switches(crossbar(3), {-1}), ArgumentError);
}

TEST(Levels, OfAFamilyAreThoseItWasBuiltWith) {
  const Topology topology = with_levels(k_ary_n_tree(2, 2), {5, 5, 6, 6});
  EXPECT_EQ(levels_of(topology).level, (std::vector<std::int32_t>{5, 5, 6, 6}));
  EXPECT_EQ(levels_of(topology).roots, (std::vector<std::int32_t>{2, 3}));
  EXPECT_EQ(levels_of(with_levels(topology, {0, 0, 0, 0})).level, (std::vector<std::int32_t>{1, 1, 2, 2}));
}

}  // namespace
}  // namespace sortlast::fabric
