// dnup: valley-free paths ranked from the hosts.
#include <gtest/gtest.h>

#include <random>

#include "fabric/naive_hops.hpp"

namespace sortlast::fabric {
namespace {

TEST(Dnup, HasTheTablesOfUpdnOnTreesAndNeedsNoRoots) {
  for (const char* family :
       {"k-ary-n-tree:12,2", "k-ary-n-tree:4,3", "thin-tree:4,2,3", "pgft:8,4;1,4;1,2"}) {
    const auto topology = shared_topology(family);
    std::vector<std::int32_t> roots;
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      if (topology->level(s) == topology->levels()) roots.push_back(s);
    }
    const Routes dnup = route(topology, "dnup"), updn = route(topology, "updn", {.roots = roots});
    ASSERT_EQ(dnup.engine, "dnup") << dnup.fallback;
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      for (Vertex v = 0; v < topology->vertices(); ++v) {
        ASSERT_EQ(dnup.forwarding->port(s, v), updn.forwarding->port(s, v)) << family;
      }
    }
  }
}

TEST(Dnup, NeverGoesAwayFromHostsAfterComingNearer) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    // A tree of three levels without a third of its cables between switches.
    std::mt19937 random(seed);
    const Topology tree = make_topology("k-ary-n-tree:3,3");
    std::vector<Channel> cut;
    for (Channel c = tree.hosts(); c < tree.channels(); ++c) {
      if (!tree.target(c).connected() || tree.is_host(tree.target(c).vertex) || tree.reverse(c) < c) continue;
      if (random() % 3 == 0) cut.push_back(c);
    }
    const auto topology = std::make_shared<const Topology>(without_links(tree, cut));
    const auto hops = naive_hops(*topology);
    const auto rank = [&](std::int32_t s) {
      std::int32_t least = naive_no_way;
      for (std::int32_t h = 0; h < topology->hosts(); ++h) {
        least = std::min(least,
                         hops[static_cast<std::size_t>(s)][static_cast<std::size_t>(leaf_of(*topology, h))]);
      }
      return least;
    };

    const Routes routes = route(topology, "dnup");
    for (std::int32_t a = 0; a < topology->hosts(); ++a) {
      for (std::int32_t b = 0; b < topology->hosts(); ++b) {
        if (routes.forwarding->port(leaf_of(*topology, a), b) == Forwarding::unreachable) continue;
        bool came_nearer = false;
        const std::vector<std::int32_t> way = switches_on_way(routes, a, b);
        for (std::size_t i = 1; i < way.size(); ++i) {
          EXPECT_FALSE(came_nearer && rank(way[i]) > rank(way[i - 1])) << "seed " << seed;
          came_nearer = rank(way[i]) < rank(way[i - 1]);
        }
      }
    }
    EXPECT_TRUE(find_credit_loop(routes).cycle.empty()) << "seed " << seed;
  }
}

TEST(Dnup, IsNotFreeOfDeadlockWhereAllSwitchesHaveHosts) {
  EXPECT_FALSE(find_credit_loop(route(shared_topology("torus:6"), "dnup")).cycle.empty());
}

}  // namespace
}  // namespace sortlast::fabric
