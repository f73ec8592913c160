// Tables made for patterns: the flows counted by the contention analysis, the bounds by hand and by trying
// every table of a small tree, and edge colourings beside what Koenig's theorem promises.
#include "sortlast/fabric/table_search.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/routing/edge_colouring.hpp"
#include "sortlast/random.hpp"
#include "trees.hpp"

namespace sortlast::fabric {
namespace {

using Patterns = std::vector<std::shared_ptr<const Pattern>>;

Placement in_order(std::int32_t p) {
  Placement placement(static_cast<std::size_t>(p));
  std::iota(placement.begin(), placement.end(), 0);
  return placement;
}

// i exchanges with i + d and i - d at distances 1, 2, 4, ...
std::shared_ptr<const Pattern> swaps(std::int32_t p) {
  std::vector<std::vector<Flow>> stages;
  for (std::int32_t distance = 1; distance < p; distance *= 2) {
    stages.emplace_back();
    for (std::int32_t i = 0; i < p; ++i) {
      if ((i ^ distance) < p) stages.back().push_back({i, i ^ distance, 1});
    }
  }
  return traffic_pattern("swaps", p, std::move(stages));
}

// Stages in which everybody sends to somebody, at random.
std::shared_ptr<const Pattern> permutations(std::int32_t p, std::int32_t count, std::uint64_t seed) {
  SplitMix64 random(seed);
  std::vector<std::vector<Flow>> stages;
  for (std::int32_t stage = 0; stage < count; ++stage) {
    Placement to = in_order(p);
    shuffle(to, random);
    stages.emplace_back();
    for (std::int32_t i = 0; i < p; ++i) {
      if (to[static_cast<std::size_t>(i)] != i) {
        stages.back().push_back({i, to[static_cast<std::size_t>(i)], 1});
      }
    }
  }
  return traffic_pattern("permutations", p, std::move(stages));
}

TableSearch search_on(const std::shared_ptr<const Topology>& tree, const Patterns& patterns,
                      const Placement& placement) {
  return TableSearch(route(tree, "ftree"), patterns, placement);
}

// Flows on the fullest channel of each stage, by the contention analysis of the tables.
std::vector<std::int32_t> counted(const TableSearch& search, const Patterns& patterns,
                                  const Placement& placement) {
  std::vector<std::int32_t> most;
  const Routes routes = search.routes("made");
  for (const auto& pattern : patterns) {
    const Contention found = contention(routes, *pattern, placement);
    most.insert(most.end(), found.stage_max.begin(), found.stage_max.end());
  }
  return most;
}

TEST(TableSearch, CountsAsTheContentionAnalysisDoes) {
  for (const auto& tree : pgfts()) {
    const Placement placement = in_order(tree->hosts());
    const Patterns patterns{permutations(tree->hosts(), 5, 1), swaps(tree->hosts())};
    TableSearch search = search_on(tree, patterns, placement);
    EXPECT_EQ(search.stage_max(), counted(search, patterns, placement)) << tree->name();
    search.search(200, 1);
    EXPECT_EQ(search.stage_max(), counted(search, patterns, placement)) << tree->name();
    EXPECT_TRUE(find_credit_loop(search.routes("made")).cycle.empty());
    for (std::int32_t stage = 0; stage < search.stages(); ++stage) {
      EXPECT_LE(search.bound()[static_cast<std::size_t>(stage)],
                search.stage_max()[static_cast<std::size_t>(stage)]);
    }
  }
}

TEST(TableSearch, MakesBinarySwapFreeOf128NodesInOrder) {
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(12, 2));
  const Patterns patterns{swaps(128)};
  TableSearch search = search_on(tree, patterns, in_order(128));
  EXPECT_EQ(search.classes().size(), 468U);
  EXPECT_GT(search.excess(), 0);
  search.search(-1, 1);
  EXPECT_EQ(search.excess(), 0);
  EXPECT_TRUE(contention(search.routes("made"), *patterns.front(), in_order(128)).contention_free());
}

TEST(TableSearch, ColouringReachesTheBoundOfSingleStages) {
  for (const auto& tree : {k_ary_n_tree(6, 2), pgft({8, 5}, {1, 3}, {1, 1})}) {
    const auto shared = std::make_shared<const Topology>(tree);
    for (std::uint64_t seed = 1; seed < 20; ++seed) {
      const Patterns patterns{permutations(tree.hosts(), 1, seed)};
      TableSearch search = search_on(shared, patterns, in_order(tree.hosts()));
      EXPECT_EQ(search.colour_edges(), 1);
      EXPECT_EQ(search.excess(), 0) << tree.name() << " seed " << seed;
      EXPECT_EQ(search.bound()[0], counted(search, patterns, in_order(tree.hosts()))[0]);
    }
  }
}

TEST(TableSearch, ColoursNoTreeOfAnotherKind) {
  for (const auto& tree : {k_ary_n_tree(2, 3), pgft({4, 4}, {1, 2}, {1, 2})}) {
    const Patterns patterns{permutations(tree.hosts(), 1, 1)};
    TableSearch search = search_on(std::make_shared<const Topology>(tree), patterns, in_order(tree.hosts()));
    EXPECT_EQ(search.colour_edges(), 0);
  }
}

// The least excess of all tables, by trying each.
std::int64_t least_of_all(TableSearch search) {
  std::vector<std::int32_t> choices(search.entries().size(), 0);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (bool more = true; more;) {
    search.set_choices(choices);
    least = std::min(least, search.excess());
    more = false;
    for (std::size_t entry = 0; entry < choices.size() && !more; ++entry) {
      more = ++choices[entry] < std::ssize(search.entries()[entry].ports);
      if (!more) choices[entry] = 0;
    }
  }
  return least;
}

TEST(TableSearch, FindsTheLeastExcessOfAllTablesOfSmallTrees) {
  int with_excess = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto tree = std::make_shared<const Topology>(pgft({2, 3}, {1, 2}, {1, 1}));
    const Patterns patterns{permutations(6, 6, seed)};
    TableSearch search = search_on(tree, patterns, in_order(6));
    const std::int64_t least = least_of_all(search);
    with_excess += least > 0 ? 1 : 0;
    search.search(3000, seed);
    EXPECT_EQ(search.excess(), least) << "seed " << seed;
  }
  EXPECT_GT(with_excess, 0);
}

TEST(TableSearch, BoundsCountHostsAndTheLinksOutOfAPart) {
  // Four hosts on a leaf with two links up: all that go to the other leaf need them.
  const auto tree = std::make_shared<const Topology>(pgft({4, 2}, {1, 2}, {1, 1}));
  const auto pattern = traffic_pattern(
      "two stages", 8, {{{0, 4, 1}, {1, 5, 1}, {2, 6, 1}}, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}});
  const TableSearch search = search_on(tree, {pattern}, in_order(8));
  EXPECT_EQ(search.bound()[0], 2);
  EXPECT_EQ(search.bound()[1], 3);
  EXPECT_EQ(search.stage_max()[1], 3);
}

TEST(TableSearch, SameSeedSameTables) {
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(3, 3));
  const Patterns patterns{permutations(27, 8, 3)};
  TableSearch one = search_on(tree, patterns, in_order(27)), other = one;
  EXPECT_EQ(one.search(500, 7), other.search(500, 7));
  EXPECT_TRUE(std::equal(one.choices().begin(), one.choices().end(), other.choices().begin()));
}

TEST(TableSearch, RefusesWhatItCannotDo) {
  const auto grid = std::make_shared<const Topology>(torus({3, 3}));
  EXPECT_THROW(TableSearch(route(grid, "minhop"), {swaps(8)}, in_order(8)), ArgumentError);
  const auto tree = std::make_shared<const Topology>(k_ary_n_tree(3, 2));
  EXPECT_THROW(search_on(tree, {swaps(8)}, in_order(9)), ArgumentError);
  EXPECT_THROW(search_on(tree, {swaps(2)}, {0, 9}), ArgumentError);
  EXPECT_THROW(TableSearch(route(tree, "minhop", {.lmc = 1}), {swaps(8)}, in_order(8)), ArgumentError);
  TableSearch search = search_on(tree, {swaps(8)}, in_order(8));
  EXPECT_THROW(search.set_choices(std::vector<std::int32_t>(3)), ArgumentError);
  EXPECT_THROW(search.set_choices(std::vector<std::int32_t>(search.entries().size(), 99)), ArgumentError);
  EXPECT_THROW(
      search_on(tree, {permutations(9, 4, 1)}, in_order(9)).search(1000, 1, [](double) { return false; }),
      Error);
}

TEST(EdgeColouring, GivesAVertexEachColourAsOftenAsItMust) {
  SplitMix64 random(5);
  for (const std::int32_t colours : {1, 2, 3, 5, 8}) {
    for (int round = 0; round < 30; ++round) {
      std::vector<std::pair<std::int32_t, std::int32_t>> edges(random.below(120));
      for (auto& [u, v] : edges) {
        u = static_cast<std::int32_t>(random.below(7));
        v = static_cast<std::int32_t>(random.below(6));
      }
      const std::vector<std::int32_t> colour = colour_edges(edges, colours);
      std::map<std::pair<int, std::int32_t>, std::map<std::int32_t, std::int32_t>> at;
      for (std::size_t e = 0; e < edges.size(); ++e) {
        ASSERT_TRUE(colour[e] >= 0 && colour[e] < colours);
        ++at[{0, edges[e].first}][colour[e]];
        ++at[{1, edges[e].second}][colour[e]];
      }
      for (const auto& [vertex, of_colour] : at) {
        std::int32_t degree = 0, most = 0;
        for (const auto& [each, count] : of_colour) {
          degree += count;
          most = std::max(most, count);
        }
        EXPECT_LE(most, (degree + colours - 1) / colours);
      }
    }
  }
}

}  // namespace
}  // namespace sortlast::fabric
