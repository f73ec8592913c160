#include "sortlast/fabric/spreading.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> made(const std::string& name) {
  return std::make_shared<const Topology>(make_topology(name));
}

Placement all_hosts(const Topology& topology) {
  Placement placement(static_cast<std::size_t>(topology.hosts()));
  std::iota(placement.begin(), placement.end(), 0);
  return placement;
}

double most(const std::vector<double>& stages) { return *std::max_element(stages.begin(), stages.end()); }

// What enters a switch leaves it, all leaves the source and enters the destination.
TEST(Spreading, KeepsTheWholeFlow) {
  for (const char* const name : {"k-ary-n-tree:3,3", "torus:4,4", "hyperx:3,4", "dragonfly:2,4,2,9"}) {
    const auto topology = made(name);
    const Spreading ways = spreading(topology, "shortest");
    for (std::int32_t to = 1; to < topology->hosts(); to += 5) {
      std::vector<double> balance(static_cast<std::size_t>(topology->hosts() + topology->switches()), 0);
      for (const auto& [channel, share] : even_shares(ways, 0, to)) {
        EXPECT_GT(share, 0);
        balance[static_cast<std::size_t>(topology->source(channel).vertex)] -= share;
        balance[static_cast<std::size_t>(topology->target(channel).vertex)] += share;
      }
      balance[0] += 1;
      balance[static_cast<std::size_t>(to)] -= 1;
      for (const double left : balance) EXPECT_NEAR(left, 0, 1e-12) << name;
    }
    EXPECT_TRUE(even_shares(ways, 2, 2).empty());
  }
}

TEST(Spreading, SplitsEvenlyAtEverySwitch) {
  const auto topology = made("k-ary-n-tree:4,2");
  const auto shares = even_shares(spreading(topology, "ar-ftree"), 0, 15);
  ASSERT_EQ(shares.size(), 2 + 2 * 4U);
  EXPECT_EQ(shares.front().channel, topology->channel_of_host(0));
  EXPECT_EQ(shares.back().channel, topology->reverse(topology->channel_of_host(15)));
  for (std::size_t i = 1; i + 1 < shares.size(); ++i) EXPECT_DOUBLE_EQ(shares[i].share, 0.25);
  EXPECT_EQ(even_shares(spreading(topology, "ar-ftree"), 0, 1).size(), 2U);
}

// On a full fat-tree no permutation shares a link, however the tables contend.
TEST(Spreading, FreesEveryPermutationOfAFullTree) {
  const auto topology = made("k-ary-n-tree:4,3");
  const Placement random = order_hosts(*topology, "random", {}, 3);
  const auto shifts = shift_pattern(64);
  EXPECT_GT(contention(route(topology, "ftree"), *shifts, random).max_flows, 1);
  for (const char* const name : {"shortest", "ar-updn", "ar-ftree"}) {
    const SpreadContention found = spread_contention(spreading(topology, name), *shifts, random);
    ASSERT_EQ(found.even.size(), 63U);
    EXPECT_DOUBLE_EQ(most(found.even), 1) << name;
    EXPECT_DOUBLE_EQ(most(found.best), 1) << name;
    EXPECT_DOUBLE_EQ(most(found.bound), 1) << name;
  }
}

// Eight hosts of a leaf send out over two links: four flows on each, and nothing can help.
TEST(Spreading, KnowsTheBoundOfATaperedTree) {
  const auto topology = made("pgft:8,4;1,2;1,1");
  std::vector<std::int32_t> destination(static_cast<std::size_t>(topology->hosts()));
  for (std::size_t i = 0; i < destination.size(); ++i) {
    destination[i] = static_cast<std::int32_t>((i + 8) % destination.size());
  }
  const SpreadContention found = spread_contention(spreading(topology, "ar-ftree"),
                                                   *permutation_pattern(destination), all_hosts(*topology));
  EXPECT_DOUBLE_EQ(found.even[0], 4);
  EXPECT_NEAR(found.best[0], 4, 0.05);
  EXPECT_NEAR(found.bound[0], 4, 0.05);
}

// From one corner of a mesh to its other corner, all at once: splitting at every switch evenly fills the
// middle, and better ways are found. Both bounds enclose what is possible.
TEST(Spreading, FindsBetterWaysThanEvenOnes) {
  const auto topology = made("mesh:4,4");
  std::vector<std::int32_t> destination(16, -1);
  for (const auto& [from, to] : {std::pair{0, 15}, {1, 14}, {4, 11}, {5, 10}, {3, 12}}) {
    destination[static_cast<std::size_t>(from)] = to;
  }
  const SpreadContention found = spread_contention(spreading(topology, "shortest"),
                                                   *permutation_pattern(destination), all_hosts(*topology));
  EXPECT_LE(found.bound[0], found.best[0]);
  EXPECT_LE(found.best[0], found.even[0]);
  EXPECT_LT(found.best[0], 1.011 * found.bound[0]);
}

// Two flows, and two ways for one of them, of which the other has the first alone: the linear program's
// answer is that the first goes by the second way, whole.
TEST(Spreading, LeavesACrowdedWay) {
  // Leaves 0, 1, 2 with spines; hosts 0, 1 on leaf 0. Tables cannot split, spreading need not.
  const auto topology = made("pgft:2,3;1,2;1,1");
  const std::vector<std::int32_t> destination{2, 4, -1, -1, -1, -1};
  const SpreadContention found = spread_contention(spreading(topology, "shortest"),
                                                   *permutation_pattern(destination), all_hosts(*topology));
  EXPECT_DOUBLE_EQ(found.best[0], 1);
  EXPECT_DOUBLE_EQ(found.bound[0], 1);
}

// No static table over the same ways is better than the bound.
TEST(Spreading, BoundsTheTablesFromBelow) {
  for (const char* const name : {"torus:4,4", "k-ary-n-tree:3,3", "hyperx:3,3"}) {
    const auto topology = made(name);
    const Placement random = order_hosts(*topology, "random", {}, 5);
    const auto pattern = shift_pattern(topology->hosts());
    const SpreadContention found = spread_contention(spreading(topology, "shortest"), *pattern, random);
    for (const char* const engine : {"minhop", "random"}) {
      const Contention fixed = contention(route(topology, engine), *pattern, random);
      for (std::size_t stage = 0; stage < found.bound.size(); ++stage) {
        EXPECT_LE(found.bound[stage], fixed.stage_max[stage] + 1e-9) << name << ' ' << engine;
      }
    }
  }
}

TEST(Spreading, CountsPlacesThatAreEmptyAndHostsThatSendToThemselves) {
  const auto topology = made("k-ary-n-tree:2,2");
  const auto pattern = permutation_pattern({1, 0, 3, 2});
  const SpreadContention found = spread_contention(spreading(topology, "shortest"), *pattern, {0, -1, 2, 2});
  EXPECT_EQ(found.even[0], 0);
  EXPECT_EQ(found.bound[0], 0);
}

TEST(Spreading, RefusesWhatItDoesNotKnow) {
  const auto tree = made("k-ary-n-tree:2,2");
  EXPECT_THROW((void)spreading(tree, "nowhere"), ArgumentError);
  EXPECT_THROW((void)spreading(made("torus:3,3"), "ar-ftree"), ArgumentError);
  const Spreading ways = spreading(tree, "shortest");
  EXPECT_THROW((void)spread_contention(ways, *shift_pattern(4), {0, 1, 2}), ArgumentError);
  EXPECT_THROW((void)spread_contention(ways, *shift_pattern(4), {0, 1, 2, 9}), ArgumentError);
  EXPECT_THROW((void)spread_contention(ways, *shift_pattern(4), {0, 1, 2, 3}, {.gap = -1}), ArgumentError);
  EXPECT_THROW((void)spread_contention(ways, *shift_pattern(4), {0, 1, 2, 3}, {.gap = std::nan("")}),
               ArgumentError);
  EXPECT_THROW((void)spread_contention(ways, *shift_pattern(4), {0, 1, 2, 3},
                                       {.progress = [](double) { return false; }}),
               Error);
}

}  // namespace
}  // namespace sortlast::fabric
