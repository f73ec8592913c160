// Credit loops: a ring has one, up*/down* and lanes have none, and what is found is a circle.
#include <gtest/gtest.h>

#include <set>

#include "trees.hpp"

namespace sortlast::fabric {
namespace {

// Clockwise round a ring of switches with a host each; flows may keep to lanes by their source.
class Clockwise final : public Forwarding {
 public:
  explicit Clockwise(bool dateline) : dateline_(dateline) {}

  std::int32_t port(std::int32_t s, Vertex destination, std::int32_t /*plane*/) const override {
    return destination == s ? 1 : 3;  // +x
  }
  std::int32_t lanes() const override { return dateline_ ? 2 : 1; }
  std::int32_t lane(std::int32_t source, std::int32_t destination) const override {
    return dateline_ && source > destination ? 1 : 0;
  }

 private:
  bool dateline_;
};

Routes clockwise(std::int32_t switches, bool dateline) {
  const auto ring = std::make_shared<const Topology>(torus({switches}));
  return {ring, std::make_shared<Clockwise>(dateline), "clockwise", "clockwise", ""};
}

TEST(CreditLoop, ARingHasOne) {
  const Routes routes = clockwise(5, false);
  ASSERT_EQ(walk(routes, 0, 4).size(), 6U);
  const std::vector<Channel> cycle = find_credit_loop(routes).cycle;
  ASSERT_EQ(cycle.size(), 5U);
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    EXPECT_EQ(routes.topology->target(cycle[i]).vertex, routes.topology->source(cycle[(i + 1) % 5]).vertex);
  }
  EXPECT_EQ(std::set<Channel>(cycle.begin(), cycle.end()).size(), 5U);
}

TEST(CreditLoop, LanesAreLookedAtOneByOne) {
  // Flows that pass from the last switch to the first keep to lane 1. On three switches, no two of them
  // follow each other all the way round.
  EXPECT_FALSE(find_credit_loop(clockwise(3, false)).cycle.empty());
  EXPECT_TRUE(find_credit_loop(clockwise(3, true)).cycle.empty());
}

TEST(CreditLoop, PlanesShareTheirBuffers) {
  // Shortest ways round four switches, clockwise to the one opposite. Of those ways, 0 -> 2 and 2 -> 0 are on
  // plane 2 and the other two on plane 0: only together they make a circle.
  const auto ring = std::make_shared<const Topology>(torus({4}));
  auto tables = std::make_shared<Tables>(*ring, 4);
  for (std::int32_t plane = 0; plane < 4; ++plane) {
    for (std::int32_t s = 0; s < 4; ++s) {
      for (std::int32_t h = 0; h < 4; ++h) {
        const std::int32_t ahead = (h - s + 4) % 4;
        tables->set(s, h, ahead == 0 ? 1 : (ahead == 3 ? 2 : 3), plane);  // the host, -x, +x
      }
    }
  }
  EXPECT_EQ(find_credit_loop({ring, tables, "", "", ""}).cycle.size(), 4U);
}

TEST(CreditLoop, TreeEnginesHaveNone) {
  for (const auto& tree : pgfts()) {
    for (const char* engine :
         {"d-mod-k", "s-mod-k", "ftree", "minhop", "updn", "dnup", "sssp", "dfsssp", "random"}) {
      EXPECT_TRUE(find_credit_loop(route(tree, engine)).cycle.empty()) << tree->name() << " " << engine;
    }
  }
}

TEST(CreditLoop, ShortestPathsRoundATorusHaveOneAndLanesBreakIt) {
  const auto ring = std::make_shared<const Topology>(torus({6}));
  EXPECT_FALSE(find_credit_loop(route(ring, "minhop")).cycle.empty());
  const Routes lash = route(ring, "lash");
  EXPECT_GT(lash.forwarding->lanes(), 1);
  EXPECT_TRUE(find_credit_loop(lash).cycle.empty());
}

TEST(CreditLoop, TablesThatLeadNowhereAreFollowedAsFarAsTheyGo) {
  const auto ring = std::make_shared<const Topology>(torus({4}));
  EXPECT_TRUE(find_credit_loop({ring, std::make_shared<Tables>(*ring), "", "", ""}).cycle.empty());
  auto circle = std::make_shared<Tables>(*ring);
  for (std::int32_t s = 0; s < 4; ++s) circle->set(s, 0, 3);
  EXPECT_EQ(find_credit_loop({ring, circle, "", "", ""}).cycle.size(), 4U);
}

}  // namespace
}  // namespace sortlast::fabric
