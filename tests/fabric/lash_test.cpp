// lash: shortest ways, lanes that are free of circles, and as many of them as OpenSM takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fabric/naive_hops.hpp"
#include "fabric/random_routes.hpp"
#include "sortlast/fabric/routing/lash_lanes.hpp"

namespace sortlast::fabric {
namespace {

using Step = std::pair<std::size_t, std::size_t>;  // cables that follow each other

void add_steps(const LashLanes::Way& way, std::set<Step>& steps) {
  for (std::size_t i = 1; i < way.size(); ++i) steps.insert({way[i - 1], way[i]});
}

// Whether steps hold a circle: takes away cables that nobody waits for until none is left.
bool has_circle(std::set<Step> steps) {
  for (bool shrinks = true; shrinks;) {
    std::set<std::size_t> awaited;
    for (const auto& [first, second] : steps) awaited.insert(second);
    shrinks = std::erase_if(steps, [&](const Step& step) { return !awaited.contains(step.first); }) > 0;
  }
  return !steps.empty();
}

// A way of random turns that never visits a switch twice.
LashLanes::Way random_way(const SwitchGraph& graph, std::mt19937& random) {
  LashLanes::Way way;
  auto at = static_cast<std::int32_t>(random() % static_cast<unsigned>(graph.switches()));
  std::set<std::int32_t> seen = {at};
  for (std::size_t step = 0; step < 2 + random() % 4; ++step) {
    const std::size_t cable = random() % graph.cables(at).size();
    const std::int32_t next = graph.cables(at)[cable].other;
    if (!seen.insert(next).second) break;
    way.push_back(graph.first_cable(at) + cable);
    at = next;
  }
  return way;
}

TEST(LashLanes, TakeTheFirstLaneThatStaysFreeOfCircles) {
  for (const char* family : {"torus:3,3", "torus:5", "k-ary-n-tree:3,3"}) {
    const Topology topology = make_topology(family);
    const SwitchGraph graph(topology);
    std::mt19937 random(7);
    LashLanes lanes(graph, 4);
    std::vector<std::set<Step>> steps(4);
    int full = 0;
    for (int i = 0; i < 400; ++i) {
      const LashLanes::Way there = random_way(graph, random), back = random_way(graph, random);
      std::set<Step> alone;
      add_steps(there, alone);
      add_steps(back, alone);
      if (has_circle(alone)) continue;

      // Try all lanes, forgetting nothing and remembering nothing.
      std::int32_t expected = -1;
      for (std::size_t lane = 0; lane < steps.size() && expected < 0; ++lane) {
        std::set<Step> with = steps[lane];
        with.insert(alone.begin(), alone.end());
        if (has_circle(with)) continue;
        expected = static_cast<std::int32_t>(lane);
        steps[lane] = with;
      }
      ASSERT_EQ(lanes.add(there, back), expected) << family << ", pair " << i;
      full += expected < 0;
    }
    EXPECT_GT(full, 0) << family;
  }
}

TEST(Lash, WaysAreTheShortestAndOneForAllHostsOfASwitch) {
  std::vector<std::shared_ptr<const Topology>> fabrics = {shared_topology("torus:4,4;2"),
                                                          shared_topology("pgft:8,4;1,4;1,2")};
  for (unsigned seed = 0; seed < 20; ++seed) fabrics.push_back(random_tree(seed));
  for (const auto& topology : fabrics) {
    const Routes routes = route(topology, "lash");
    ASSERT_EQ(routes.engine, "lash") << routes.fallback;
    const auto hops = naive_hops(*topology);
    for (std::int32_t s = 0; s < topology->switches(); ++s) {
      for (std::int32_t h = 0; h < topology->hosts(); ++h) {
        const std::int32_t leaf = leaf_of(*topology, h);
        const std::int32_t port = routes.forwarding->port(s, h);
        if (s == leaf) {
          EXPECT_EQ(port, topology->attachment(h).port);
          continue;
        }
        EXPECT_EQ(port, routes.forwarding->port(s, topology->vertex_of_switch(leaf)));
        const std::int32_t here = hops[static_cast<std::size_t>(s)][static_cast<std::size_t>(leaf)];
        if (here >= naive_no_way) {
          EXPECT_EQ(port, Forwarding::unreachable);
          continue;
        }
        const Vertex next = topology->target(topology->channel(s, port)).vertex;
        EXPECT_EQ(hops[static_cast<std::size_t>(topology->switch_of(next))][static_cast<std::size_t>(leaf)],
                  here - 1);
      }
    }
  }
}

// Pairs of switches on each lane, both directions counted; every switch has one host.
std::vector<int> pairs_by_lane(const Routes& routes) {
  std::vector<int> pairs(static_cast<std::size_t>(routes.forwarding->lanes()), 0);
  for (std::int32_t a = 0; a < routes.topology->hosts(); ++a) {
    for (std::int32_t b = 0; b < routes.topology->hosts(); ++b) {
      EXPECT_EQ(routes.forwarding->lane(a, b), routes.forwarding->lane(b, a));
      if (a != b) ++pairs[static_cast<std::size_t>(routes.forwarding->lane(a, b))];
    }
  }
  return pairs;
}

TEST(Lash, TakesOpenSmsLanes) {
  // As OpenSM 3.3.23 writes in its log before it evens them out ("Lanes in layer 0: 2806").
  EXPECT_EQ(pairs_by_lane(route(shared_topology("torus:4,4,4"), "lash")),
            (std::vector{2806, 822, 332, 70, 2}));
  EXPECT_EQ(pairs_by_lane(route(shared_topology("mesh:4,4,4"), "lash")), (std::vector{4032}));
}

TEST(Lash, LanesAreFreeOfCreditLoopsWhereOneLaneIsNot) {
  for (const char* family : {"torus:4,4,4", "torus:5", "k-ary-n-tree:4,3", "slender-tree:4,2,4"}) {
    const auto topology = shared_topology(family);
    const Routes lash = route(topology, "lash");
    ASSERT_EQ(lash.engine, "lash");
    EXPECT_TRUE(find_credit_loop(lash).cycle.empty()) << family;
  }
  const auto torus = shared_topology("torus:4,4,4");
  EXPECT_FALSE(find_credit_loop(route(torus, "minhop")).cycle.empty());
  EXPECT_GT(route(torus, "lash").forwarding->lanes(), 1);
}

TEST(Lash, RefusesWhatNeedsTooManyLanes) {
  const Routes routes = route(shared_topology("torus:8,8,8"), "lash");
  EXPECT_EQ(routes.engine, "minhop");
  EXPECT_NE(routes.fallback.find("more than 8 virtual lanes"), std::string::npos) << routes.fallback;
}

TEST(Lash, OneSwitchHasOneLane) {
  const Routes routes = route(shared_topology("crossbar:4"), "lash");
  EXPECT_EQ(routes.forwarding->lanes(), 1);
  EXPECT_EQ(walk(routes, 0, 3).size(), 2u);
}

}  // namespace
}  // namespace sortlast::fabric
