// dfsssp: the tables of sssp on lanes without circles.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "fabric/naive_hops.hpp"
#include "sortlast/fabric/routing/dfsssp_lanes.hpp"

namespace sortlast::fabric {
namespace {

using Step = std::pair<std::int32_t, std::int32_t>;  // cables that follow each other

// Whether steps hold a circle: takes away cables that nobody waits for until none is left.
bool has_circle(std::set<Step> steps) {
  for (bool shrinks = true; shrinks;) {
    std::set<std::int32_t> awaited;
    for (const auto& [first, second] : steps) awaited.insert(second);
    shrinks = std::erase_if(steps, [&](const Step& step) { return !awaited.contains(step.first); }) > 0;
  }
  return !steps.empty();
}

TEST(DfssspLanes, HaveNoCirclesAndUseTheNextOnlyIfNeeded) {
  constexpr std::int32_t cables = 12, most_lanes = 3;
  int separated = 0, full = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::int32_t> rank(cables);
    std::iota(rank.begin(), rank.end(), 0);
    std::shuffle(rank.begin(), rank.end(), random);

    // Random paths that use no cable twice.
    DfssspLanes lanes(rank, most_lanes);
    std::vector<DfssspLanes::Way> ways;
    for (unsigned i = 0; i < 3 + seed / 4; ++i) {
      DfssspLanes::Way way(cables);
      std::iota(way.begin(), way.end(), 0);
      std::shuffle(way.begin(), way.end(), random);
      way.resize(random() % 4);
      ways.push_back(way);
      lanes.add(way, static_cast<std::uint32_t>(1 + random() % 3));
    }
    const std::int32_t needed = lanes.separate();

    std::vector<std::set<Step>> steps(most_lanes);
    std::set<Step> all;
    std::int32_t used = 1;
    for (std::size_t i = 0; i < ways.size(); ++i) {
      for (std::size_t k = 1; k < ways[i].size(); ++k) {
        steps[static_cast<std::size_t>(lanes.lane(i))].insert({ways[i][k - 1], ways[i][k]});
        all.insert({ways[i][k - 1], ways[i][k]});
      }
      used = std::max(used, lanes.lane(i) + 1);
    }
    EXPECT_EQ(needed > 1, has_circle(all)) << "seed " << seed;
    if (needed > most_lanes) {
      EXPECT_TRUE(has_circle(steps.back())) << "seed " << seed;
      ++full;
      continue;
    }
    EXPECT_EQ(used, needed) << "seed " << seed;
    for (const std::set<Step>& lane : steps) EXPECT_FALSE(has_circle(lane)) << "seed " << seed;
    separated += needed > 1;
  }
  EXPECT_GT(separated, 0);
  EXPECT_GT(full, 0);
}

TEST(Dfsssp, HasTheTablesOfSssp) {
  for (const char* family : {"k-ary-n-tree:4,3", "torus:4,4;2", "dragonfly:2,4,1,5"}) {
    const auto topology = shared_topology(family);
    const Routes plain = route(topology, "sssp", {.lmc = 1}), laned = route(topology, "dfsssp", {.lmc = 1});
    ASSERT_EQ(laned.engine, "dfsssp") << laned.fallback;
    for (std::int32_t plane = 0; plane < 2; ++plane) {
      for (std::int32_t s = 0; s < topology->switches(); ++s) {
        for (Vertex v = 0; v < topology->vertices(); ++v) {
          ASSERT_EQ(plain.forwarding->port(s, v, plane), laned.forwarding->port(s, v, plane)) << family;
        }
      }
    }
  }
}

TEST(Dfsssp, LanesAreFreeOfCreditLoopsWhereOneLaneIsNot) {
  for (const char* family : {"torus:4,4", "torus:6", "dragonfly:2,4,1,5", "hyperx:4,4;2"}) {
    for (const std::int32_t lmc : {0, 1}) {
      const auto topology = shared_topology(family);
      const Routes laned = route(topology, "dfsssp", {.lmc = lmc});
      ASSERT_EQ(laned.engine, "dfsssp") << laned.fallback;
      EXPECT_TRUE(find_credit_loop(laned).cycle.empty()) << family;
      EXPECT_FALSE(find_credit_loop(route(topology, "sssp", {.lmc = lmc})).cycle.empty()) << family;
      EXPECT_GT(laned.forwarding->lanes(), 1) << family;
    }
  }
  EXPECT_EQ(route(shared_topology("pgft:8,4;1,4;1,2"), "dfsssp").forwarding->lanes(), 1);
}

TEST(Dfsssp, RefusesWhatNeedsTooManyLanes) {
  // As OpenSM 3.3.23 does on ibsim: without a second LID eight lanes are enough.
  const auto torus = shared_topology("torus:4,4,4");
  EXPECT_EQ(route(torus, "dfsssp").forwarding->lanes(), 8);
  const Routes routes = route(torus, "dfsssp", {.lmc = 1});
  EXPECT_EQ(routes.engine, "minhop");
  EXPECT_NE(routes.fallback.find("more than 8 virtual lanes"), std::string::npos) << routes.fallback;
}

TEST(Dfsssp, OneSwitchHasOneLane) {
  const Routes routes = route(shared_topology("crossbar:4"), "dfsssp");
  EXPECT_EQ(routes.engine, "dfsssp");
  EXPECT_EQ(routes.forwarding->lanes(), 1);
  EXPECT_EQ(walk(routes, 0, 3).size(), 2u);
}

}  // namespace
}  // namespace sortlast::fabric
