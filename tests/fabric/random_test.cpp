// Random routes: shortest up*/down* ways, fixed by the seed.
#include <gtest/gtest.h>

#include <set>

#include "sortlast/fabric/topology.hpp"
#include "trees.hpp"

namespace sortlast::fabric {
namespace {

std::vector<std::int32_t> ports(const Routes& routes) {
  std::vector<std::int32_t> all;
  for (std::int32_t plane = 0; plane < routes.forwarding->planes(); ++plane) {
    for (std::int32_t s = 0; s < routes.topology->switches(); ++s) {
      for (Vertex v = 0; v < routes.topology->vertices(); ++v)
        all.push_back(routes.forwarding->port(s, v, plane));
    }
  }
  return all;
}

TEST(Random, TheSeedFixesTheRoutes) {
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(4, 3));
  const auto of = [&](std::uint64_t seed) { return ports(route(tree, "random", {.seed = seed})); };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

TEST(Random, PlanesDiffer) {
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(4, 3));
  const Routes routes = route(tree, "random", {.lmc = 2});
  EXPECT_EQ(routes.forwarding->planes(), 4);
  std::set<std::vector<std::int32_t>> rows;
  for (std::int32_t plane = 0; plane < 4; ++plane) {
    std::vector<std::int32_t> row;
    for (std::int32_t h = 0; h < tree->hosts(); ++h) row.push_back(routes.forwarding->port(0, h, plane));
    rows.insert(row);
  }
  EXPECT_EQ(rows.size(), 4U);
}

TEST(Random, PathsInTreesAreShortest) {
  std::vector<std::shared_ptr<const Topology>> trees = pgfts();
  trees.push_back(std::make_shared<const Topology>(slender_tree(4, 2, 4)));
  for (const auto& tree : trees) {
    const Routes routes = route(tree, "random"), shortest = route(tree, "minhop");
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        EXPECT_EQ(walk(routes, a, b).size(), walk(shortest, a, b).size()) << tree->name();
      }
    }
  }
}

TEST(Random, ChoicesAreEven) {
  // 144 destinations away from the leaf, 12 ways up: each is taken 11 times in the mean.
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(12, 2));
  const Routes routes = route(tree, "random");
  std::vector<std::int32_t> taken(25);
  for (std::int32_t s = 0; s < 12; ++s) {
    for (std::int32_t h = 0; h < tree->hosts(); ++h) {
      ++taken[static_cast<std::size_t>(routes.forwarding->port(s, h))];
    }
  }
  for (std::size_t port = 13; port <= 24; ++port) {
    EXPECT_GT(taken[port], 132 - 50);  // 12 leaves times 11; the standard deviation is 11
    EXPECT_LT(taken[port], 132 + 50);
  }
}

TEST(Random, AnyFabricIsRoutedAndFreeOfDeadlock) {
  Topology damaged = k_ary_n_tree(3, 3);
  for (const std::int32_t port : {4, 5}) damaged = without_links(damaged, {damaged.channel(0, port)});
  for (Topology topology : {torus({4, 4}, 2), mesh({3, 3}), torus({5}), std::move(damaged)}) {
    const auto fabric = std::make_shared<const Topology>(std::move(topology));
    const Routes routes = route(fabric, "random", {.seed = 3, .lmc = 1});
    EXPECT_EQ(routes.engine, "random");
    EXPECT_TRUE(find_credit_loop(routes).cycle.empty()) << fabric->name();
    for (std::int32_t a = 0; a < fabric->hosts(); ++a) {
      for (std::int32_t b = 0; b < fabric->hosts(); ++b) EXPECT_EQ(walk(routes, a, b).empty(), a == b);
    }
  }
}

TEST(Random, GoesOverTheRootsThatAreGiven) {
  // On a ring of 4 switches the way from 0 to 2 leads over the root, be it 1 or 3.
  const auto ring = std::make_shared<const Topology>(torus({4}));
  for (const std::int32_t root : {1, 3}) {
    const Routes routes = route(ring, "random", {.roots = {root}});
    EXPECT_EQ(ring->target(walk(routes, 0, 2)[1]).vertex, ring->vertex_of_switch(root));
  }
}

}  // namespace
}  // namespace sortlast::fabric
