// S-mod-K: the mirror of D-mod-K, on as many planes as there are choices of up-ports.
#include <gtest/gtest.h>

#include "trees.hpp"

namespace sortlast::fabric {
namespace {

TEST(SModK, ItsPathsAreThoseOfDModKBackwards) {
  for (const auto& tree : pgfts()) {
    const Routes by_source = route(tree, "s-mod-k"), by_destination = route(tree, "d-mod-k");
    EXPECT_EQ(by_source.engine, "s-mod-k");
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        std::vector<Channel> back = walk(by_destination, b, a);
        std::reverse(back.begin(), back.end());
        for (Channel& c : back) c = tree->reverse(c);
        EXPECT_EQ(walk(by_source, a, b), back) << tree->name();
      }
    }
  }
}

TEST(SModK, CountsItsPlanes) {
  const auto planes = [](Topology tree) {
    return route(std::make_shared<const Topology>(std::move(tree)), "s-mod-k").forwarding->planes();
  };
  EXPECT_EQ(planes(crossbar(5)), 1);
  EXPECT_EQ(planes(k_ary_n_tree(12, 2)), 12);
  EXPECT_EQ(planes(k_ary_n_tree(12, 3)), 144);
  EXPECT_EQ(planes(thin_tree(8, 4, 3)), 16);
  EXPECT_EQ(planes(pgft({8, 4}, {1, 4}, {1, 2})), 8);
  EXPECT_EQ(planes(pgft({3, 2, 4}, {1, 2, 3}, {1, 3, 2})), 12);
  EXPECT_EQ(planes(pgft({2, 2}, {1, 3}, {1, 1})), 3);
  EXPECT_EQ(planes(pgft({2, 2}, {1, 5}, {1, 1})), 4);  // no more than there are hosts
}

TEST(SModK, ShiftsAreFreeAsWell) {
  for (Topology tree : {k_ary_n_tree(3, 3), pgft({8, 4}, {1, 4}, {1, 2})}) {
    EXPECT_EQ(most_flows_of_shifts(route(std::make_shared<const Topology>(std::move(tree)), "s-mod-k")), 1);
  }
}

TEST(SModK, RefusesSlenderTrees) {
  const Routes routes = route(std::make_shared<const Topology>(slender_tree(4, 2, 3)), "s-mod-k");
  EXPECT_EQ(routes.engine, "minhop");
}

}  // namespace
}  // namespace sortlast::fabric
