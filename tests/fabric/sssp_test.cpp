// sssp: every path is the lightest when its destination's turn comes; the heap; refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "fabric/naive_hops.hpp"
#include "sortlast/fabric/routing/distance_heap.hpp"
#include "sortlast/fabric/routing/sssp.hpp"

namespace sortlast::fabric {
namespace {

TEST(DistanceHeap, GivesTheNearestOfItsItems) {
  std::mt19937 random(3);
  DistanceHeap heap;
  for (const std::int32_t count : {1, 2, 4, 5, 6, 21, 100}) {
    std::vector<std::int32_t> items(static_cast<std::size_t>(count));
    std::iota(items.begin(), items.end(), 0);
    std::shuffle(items.begin(), items.end(), random);
    heap.reset(items, 50);
    std::vector<std::uint64_t> distance(items.size(), 50);
    std::vector<bool> gone(items.size());
    for (std::int32_t left = count; left > 0; --left) {
      for (int i = 0; i < 3; ++i) {
        const std::size_t item = random() % items.size();
        if (gone[item] || distance[item] == 0) continue;
        distance[item] = random() % distance[item];
        heap.decrease(static_cast<std::int32_t>(item), distance[item]);
      }
      std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
      for (std::size_t item = 0; item < items.size(); ++item) {
        if (!gone[item]) least = std::min(least, distance[item]);
      }
      const auto nearest = static_cast<std::size_t>(heap.pop());
      ASSERT_FALSE(gone[nearest]);
      ASSERT_EQ(distance[nearest], least);
      gone[nearest] = true;
    }
    EXPECT_TRUE(heap.empty());
  }
}

// The weights of channels, as paths to one destination after another are added to them.
class NaiveWeights {
 public:
  NaiveWeights(const Routes& routes, std::int32_t lmc) : routes_(routes), topology_(*routes.topology) {
    const std::int64_t lids = topology_.switches() + (std::int64_t{topology_.hosts()} << lmc);
    weights_.assign(static_cast<std::size_t>(topology_.channels()), lids * lids);
    sources_.assign(static_cast<std::size_t>(topology_.switches()), 1);
    for (std::int32_t h = 0; h < topology_.hosts(); ++h) {
      sources_[static_cast<std::size_t>(leaf_of(topology_, h))] += std::int64_t{1} << lmc;
    }
  }

  // Expects the lightest paths to a destination, and adds their weights.
  void expect_lightest(Vertex destination, std::int32_t plane) {
    const std::int32_t end =
        topology_.is_host(destination) ? leaf_of(topology_, destination) : topology_.switch_of(destination);
    const std::vector<std::int64_t> lightest = bellman_ford(end);
    std::vector<std::int64_t> added(weights_.size(), 0);
    for (std::int32_t s = 0; s < topology_.switches(); ++s) {
      std::int64_t weight = 0;
      for (std::int32_t at = s; at != end;) {
        const Channel c = topology_.channel(at, routes_.forwarding->port(at, destination, plane));
        weight += weights_[static_cast<std::size_t>(c)];
        added[static_cast<std::size_t>(c)] += sources_[static_cast<std::size_t>(s)];
        at = topology_.switch_of(topology_.target(c).vertex);
      }
      ASSERT_EQ(weight, lightest[static_cast<std::size_t>(s)])
          << "from switch " << s << " to vertex " << destination << ", plane " << plane;
    }
    for (std::size_t c = 0; c < added.size(); ++c) weights_[c] += added[c];
  }

 private:
  std::vector<std::int64_t> bellman_ford(std::int32_t end) const {
    std::vector<std::int64_t> distance(sources_.size(), std::int64_t{1} << 60);
    distance[static_cast<std::size_t>(end)] = 0;
    for (bool changes = true; changes;) {
      changes = false;
      for (Channel c = topology_.hosts(); c < topology_.channels(); ++c) {
        const End& to = topology_.target(c);
        if (!to.connected() || topology_.is_host(to.vertex)) continue;
        const auto from = static_cast<std::size_t>(topology_.switch_of(topology_.source(c).vertex));
        const std::int64_t through = distance[static_cast<std::size_t>(topology_.switch_of(to.vertex))] +
                                     weights_[static_cast<std::size_t>(c)];
        if (through >= distance[from]) continue;
        distance[from] = through;
        changes = true;
      }
    }
    return distance;
  }

  const Routes& routes_;
  const Topology& topology_;
  std::vector<std::int64_t> weights_;  // by channel, in the direction of the traffic
  std::vector<std::int64_t> sources_;  // by switch
};

TEST(Sssp, EveryPathIsTheLightestInItsTurn) {
  for (const char* family : {"k-ary-n-tree:4,3", "pgft:8,4;1,4;1,2", "thin-tree:4,2,3", "torus:4,3;2",
                             "dragonfly:2,4,1,5", "hyperx:3,3;2"}) {
    for (const std::int32_t lmc : {0, 2}) {
      const auto topology = shared_topology(family);
      const Routes routes = route(topology, "sssp", {.lmc = lmc});
      ASSERT_EQ(routes.engine, "sssp") << routes.fallback;
      NaiveWeights weights(routes, lmc);
      for (const std::int32_t h : sssp_hosts(*topology, {})) {
        for (std::int32_t plane = 0; plane < 1 << lmc; ++plane) weights.expect_lightest(h, plane);
      }
      for (const std::int32_t s : switches_by_load(*topology)) {
        weights.expect_lightest(topology->vertex_of_switch(s), 0);
      }
    }
  }
}

TEST(Sssp, ComputeHostsComeFirstEachInTheUsualOrder) {
  const Topology tree = make_topology("k-ary-n-tree:3,2");
  const std::vector<std::int32_t> usual = sssp_hosts(tree, {});
  const std::vector<std::int32_t> order = sssp_hosts(tree, {.compute = {7, 2, 5}});
  ASSERT_EQ(order.size(), 9u);
  EXPECT_TRUE(std::is_permutation(order.begin(), order.begin() + 3, std::vector{2, 5, 7}.begin()));
  const auto place = [&](std::int32_t h) { return std::find(usual.begin(), usual.end(), h); };
  const auto before = [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); };
  EXPECT_TRUE(std::is_sorted(order.begin(), order.begin() + 3, before));
  EXPECT_TRUE(std::is_sorted(order.begin() + 3, order.end(), before));
}

TEST(Sssp, BalancesUpperLevelsBetterThanMinhop) {
  const auto tree = shared_topology("k-ary-n-tree:4,3");
  const auto most_paths = [&](const char* engine) {
    const Routes routes = route(tree, engine);
    std::vector<int> paths(static_cast<std::size_t>(tree->channels()), 0);
    for (std::int32_t a = 0; a < tree->hosts(); ++a) {
      for (std::int32_t b = 0; b < tree->hosts(); ++b) {
        for (const Channel c : walk(routes, a, b)) ++paths[static_cast<std::size_t>(c)];
      }
    }
    return *std::max_element(paths.begin(), paths.end());
  };
  EXPECT_LT(most_paths("sssp"), most_paths("minhop"));
}

TEST(Sssp, RefusesDistancesBeyondOpenSmsInfinity) {
  const Routes routes = route(shared_topology("mesh:900"), "sssp");  // 899 cables of weight 1800^2
  EXPECT_EQ(routes.engine, "minhop");
  EXPECT_NE(routes.fallback.find("end at 2147483647"), std::string::npos) << routes.fallback;
  EXPECT_EQ(route(shared_topology("mesh:500"), "sssp").engine, "sssp");  // 499 of weight 1000^2
}

}  // namespace
}  // namespace sortlast::fabric
