// OpenSM's ftree by itself; tests/python/test_fabric_ftree.py compares it with OpenSM.
#include <gtest/gtest.h>

#include "sortlast/fabric/topology.hpp"
#include "trees.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> shared(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

std::vector<std::int32_t> tops(const Topology& topology) {
  std::vector<std::int32_t> switches;
  for (std::int32_t s = 0; s < topology.switches(); ++s) {
    if (topology.level(s) == topology.levels()) switches.push_back(s);
  }
  return switches;
}

std::string refusal(const Topology& topology, const RouteOptions& options = {}) {
  const Routes routes = route(shared(topology), "ftree", options);
  EXPECT_EQ(routes.engine, "minhop");
  return routes.fallback;
}

// Whether the up-links of every switch divide the hosts below it that it serves: its counters then come out
// even.
bool even(const TreeShape& shape) {
  std::int32_t hosts = 1, tops = 1;
  for (std::size_t l = 0; l + 1 < shape.m.size(); ++l) {
    hosts *= shape.m[l];
    tops *= shape.w[l];
    if (hosts % (tops * shape.w[l + 1] * shape.p[l + 1]) != 0) return false;
  }
  return shape.m.size() > 1;
}

TEST(Ftree, IsDModKOnEvenTrees) {
  std::int32_t trees = 0;
  for (const auto& tree : pgfts()) {
    if (!even(std::get<TreeShape>(tree->shape()))) continue;
    ++trees;
    const Routes ftree = route(tree, "ftree"), formula = route(tree, "d-mod-k");
    EXPECT_EQ(ftree.engine, "ftree") << ftree.fallback;
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        EXPECT_EQ(walk(ftree, a, b), walk(formula, a, b)) << tree->name();
      }
    }
  }
  EXPECT_GE(trees, 5);
}

TEST(Ftree, TakesTheFormulaForWhatItsTablesWouldHold) {
  // With roots that are given it makes tables at once.
  std::vector<std::shared_ptr<const Topology>> trees = pgfts();
  for (Topology& tree : std::vector<Topology>{rlft(8, 2), rlft(6, 3), pgft({4, 8, 4}, {1, 4, 2}, {1, 1, 2}),
                                              pgft({6, 2, 3}, {1, 3, 2}, {1, 2, 1})}) {
    trees.push_back(shared(std::move(tree)));
  }
  for (const auto& tree : trees) {
    const Routes formula = route(tree, "ftree"), tables = route(tree, "ftree", {.roots = tops(*tree)});
    EXPECT_EQ(formula.engine, tables.engine);
    for (std::int32_t s = 0; s < tree->switches(); ++s) {
      for (Vertex v = 0; v < tree->vertices(); ++v) {
        ASSERT_EQ(formula.forwarding->port(s, v), tables.forwarding->port(s, v))
            << tree->name() << s << ' ' << v;
      }
    }
  }
}

TEST(Ftree, StartsAgainOnEveryLeaf) {
  // Five hosts on two up-links: D-mod-K goes on counting at the next leaf, ftree begins with the first again.
  const auto tree = shared(thin_tree(5, 2, 2));
  const Routes ftree = route(tree, "ftree"), formula = route(tree, "d-mod-k");
  EXPECT_EQ(ftree.forwarding->port(2, 5), formula.forwarding->port(2, 5) - 1);
  for (std::int32_t h = 0; h < tree->hosts(); ++h) {
    const std::int32_t leaf = h / 5 == 2 ? 3 : 2;
    EXPECT_EQ(ftree.forwarding->port(leaf, h), 6 + h % 5 % 2);
  }
}

TEST(Ftree, DummiesKeepTheOrderOfHostsThatAreLeft) {
  // Leaf 0 has lost a host, whose route its level 2 switch would have counted; those to all that are left are
  // what they were.
  const Topology whole = k_ary_n_tree(3, 3);
  const auto tree = shared(whole), left = shared(without_hosts(whole, {2}));
  const Routes before = route(tree, "ftree"), after = route(left, "ftree");
  EXPECT_EQ(after.engine, "ftree");
  for (std::int32_t s = 0; s < whole.switches(); ++s) {
    for (std::int32_t h = 0; h < left->hosts(); ++h) {
      EXPECT_EQ(after.forwarding->port(s, h), before.forwarding->port(s, h < 2 ? h : h + 1));
    }
  }
}

TEST(Ftree, IsGreedyOnACutTreeWhoseRootsAreGiven) {
  const Topology whole = k_ary_n_tree(4, 2);
  const auto cut = shared(without_links(whole, {whole.channel(1, 6)}));
  const Routes routes = route(cut, "ftree", {.roots = tops(whole)});
  EXPECT_EQ(routes.engine, "ftree");
  EXPECT_EQ(most_flows_of_shifts(routes), 2);
  // The four hosts of the leaf share its three links: none of them holds more than two.
  std::vector<std::int32_t> hosts(9);
  for (std::int32_t h = 4; h < 8; ++h) {
    const End& leaf = cut->target(walk(routes, 12, h)[2]);
    EXPECT_EQ(leaf.vertex, cut->vertex_of_switch(1));
    ++hosts[static_cast<std::size_t>(leaf.port)];
  }
  EXPECT_EQ(hosts, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 2, 0, 1, 1}));
}

TEST(Ftree, SaysWhyItRefuses) {
  EXPECT_NE(refusal(crossbar(6)).find("it has 1 switch"), std::string::npos);
  EXPECT_NE(refusal(torus({3, 3})).find("(AB2B)"), std::string::npos);
  EXPECT_NE(refusal(without_hosts(k_ary_n_tree(2, 2), {2, 3})).find("one switch"), std::string::npos);
  EXPECT_NE(refusal(without_hosts(k_ary_n_tree(2, 2), {1, 2, 3})).find("it has 1 adapter"),
            std::string::npos);

  const Topology tree = k_ary_n_tree(3, 2);
  const Topology cut = without_links(tree, {tree.channel(1, 5)});
  EXPECT_EQ(
      refusal(cut),
      "ftree refuses this fabric: switch 'sw-L1-0000' has 3 upper switches, switch 'sw-L1-0001' of the same "
      "rank 2 (AB09); give the roots to have it routed all the same; minhop is used instead");
  // OpenSM comes to spine 1 before it comes to leaf 2.
  EXPECT_NE(refusal(without_links(tree, {tree.channel(2, 5)})).find("(AB0A)"), std::string::npos);
  const Topology doubled = pgft({4, 2}, {1, 2}, {1, 2});
  EXPECT_NE(refusal(without_links(doubled, {doubled.channel(1, 8)})).find("(AB0B)"), std::string::npos);
  // All switches are roots: the leaves are at rank 0 too.
  EXPECT_NE(refusal(tree, {.roots = {0, 1, 2, 3, 4, 5}}).find("(AB2B)"), std::string::npos);
  EXPECT_NE(refusal(tree, {.roots = {0}}).find("is 1; ftree takes 2 to 8"), std::string::npos);
  EXPECT_NE(refusal(tree, {.roots = {2, 3, 4, 5}}).find("(AB26)"), std::string::npos);
  // Compute nodes on leaves of a cut tree, but no roots.
  EXPECT_NE(refusal(cut, {.compute = {0, 3}}).find("(AB09)"), std::string::npos);
}

TEST(Ftree, RoutesWithoutGuidsByNumber) {
  // A tree from a file that knows no GUIDs is routed as one whose GUIDs count up.
  TopologyBuilder builder("no GUIDs");
  for (std::int32_t s = 0; s < 4; ++s) builder.add_switch({.name = "s" + std::to_string(s), .ports = 4});
  for (std::int32_t h = 0; h < 4; ++h) {
    builder.add_host({.name = "h" + std::to_string(h)});
    builder.connect_host(h, h / 2, 1 + h % 2);
  }
  for (std::int32_t leaf = 0; leaf < 2; ++leaf) {
    for (std::int32_t spine = 0; spine < 2; ++spine) builder.connect(leaf, 3 + spine, 2 + spine, 1 + leaf);
  }
  const Routes routes = route(shared(std::move(builder).finish()), "ftree");
  EXPECT_EQ(routes.engine, "ftree");
  EXPECT_EQ(routes.forwarding->port(0, 2), 3);
  EXPECT_EQ(routes.forwarding->port(0, 3), 4);
  EXPECT_EQ(routes.forwarding->port(2, 3), 2);
}

TEST(Ftree, WhatRootsDoNotReachIsLeftOut) {
  // Two trees with nothing between them, and the roots of one.
  TopologyBuilder builder("two trees");
  for (std::int32_t s = 0; s < 6; ++s) builder.add_switch({.name = "s" + std::to_string(s), .ports = 3});
  for (std::int32_t h = 0; h < 4; ++h) {
    builder.add_host({.name = "h" + std::to_string(h)});
    builder.connect_host(h, h, 1);
    builder.connect(h, 2, 4 + h / 2, 1 + h % 2);
  }
  const auto trees = shared(std::move(builder).finish());
  const Routes routes = route(trees, "ftree", {.roots = {4}});
  EXPECT_EQ(routes.engine, "ftree");
  EXPECT_EQ(walk(routes, 0, 1).size(), 4U);
  EXPECT_EQ(routes.forwarding->port(2, 3), Forwarding::unreachable);
  EXPECT_EQ(routes.forwarding->port(0, 3), Forwarding::unreachable);
}

}  // namespace
}  // namespace sortlast::fabric
