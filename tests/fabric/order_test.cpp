// The best order: against all orders of few hosts, on jobs of 60 of 144, and on a real fabric.
#include "sortlast/fabric/contention.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "fabric/random_routes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/placement/order_search.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {
namespace {

using Hosts = std::vector<std::int32_t>;

std::shared_ptr<const Topology> share(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

Hosts some_hosts(const Topology& topology, std::size_t n, std::uint64_t seed) {
  Hosts hosts(static_cast<std::size_t>(topology.hosts()));
  std::iota(hosts.begin(), hosts.end(), 0);
  SplitMix64 random(seed);
  shuffle(hosts, random);
  hosts.resize(n);
  std::sort(hosts.begin(), hosts.end());
  return hosts;
}

void expect_order_of(const Hosts& hosts, Placement placement) {
  std::erase(placement, -1);
  std::sort(placement.begin(), placement.end());
  EXPECT_EQ(placement, hosts);
}

// Whether any order of these hosts is free; the first stays where it is, because shifts can be turned.
bool any_free(const Routes& routes, const Hosts& hosts) {
  Placement order = hosts;
  const auto shift = shift_pattern(static_cast<std::int32_t>(hosts.size()));
  do {
    if (contention(routes, *shift, order, {.threads = 1}).contention_free()) return true;
  } while (std::next_permutation(order.begin() + 1, order.end()));
  return false;
}

TEST(BestOrder, AgreesWithAllOrdersOfFewHosts) {
  int free = 0, proven = 0;
  const auto tree = share(k_ary_n_tree(3, 2));
  const auto thin = share(thin_tree(4, 2, 2));
  for (std::uint64_t seed = 1; seed <= 25; ++seed) {
    const Routes routes =
        seed % 2 == 0 ? route(tree, "d-mod-k") : random_routes(thin, static_cast<unsigned>(seed));
    const Hosts hosts = some_hosts(*routes.topology, 4 + seed % 4, seed);
    const bool expected = any_free(routes, hosts);
    const BestOrder best = best_order(routes, hosts, {.steps = 50});
    EXPECT_EQ(best.contention.contention_free(), expected) << seed;
    EXPECT_TRUE(best.proven_best) << seed;
    EXPECT_EQ(best.proof.empty(), expected) << seed;
    expect_order_of(hosts, best.placement);
    ++(expected ? free : proven);
  }
  EXPECT_GT(free, 4);
  EXPECT_GT(proven, 4);
}

TEST(BestOrder, DemandOfAChannelIsThePairsThatCrossIt) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto topology = random_tree(seed);
    for (const std::int32_t planes : {1, 2}) {
      const Routes routes = random_routes(topology, seed, planes);
      std::vector<std::int64_t> pairs(static_cast<std::size_t>(topology->channels()), 0);
      Hosts hosts;
      for (std::int32_t h = 0; h < topology->hosts(); h += 1 + h % 2) hosts.push_back(h);
      for (const std::int32_t a : hosts) {
        for (const std::int32_t b : hosts) {
          const auto path = walk(routes, a, b);
          for (std::size_t hop = 1; hop + 1 < path.size(); ++hop)
            ++pairs[static_cast<std::size_t>(path[hop])];
        }
      }
      const auto most = std::max_element(pairs.begin(), pairs.end());
      const Demand demand = greatest_demand(PathWalker(routes), hosts);
      EXPECT_EQ(demand.pairs, *most);
      if (*most > 0) {
        EXPECT_EQ(demand.channel, most - pairs.begin());
      }
    }
  }
}

TEST(BestOrder, WholeLeavesAreFreeInRoutingOrder) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  Hosts hosts(60);
  std::iota(hosts.begin(), hosts.end(), 24);
  SplitMix64 random(1);
  Hosts listed = hosts;
  shuffle(listed, random);
  const BestOrder best = best_order(routes, listed);
  EXPECT_TRUE(best.contention.contention_free());
  EXPECT_EQ(best.how, "routing order");
  EXPECT_EQ(best.placement, hosts);
}

TEST(BestOrder, MakesAnUnevenJobFreeWithoutDummies) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  for (const std::uint64_t seed : {8U, 10U, 11U}) {
    const Hosts hosts = some_hosts(*topology, 60, seed);
    EXPECT_GT(contention(routes, *shift_pattern(60), order_hosts(*topology, "alphabetical", hosts)).max_flows,
              1);
    const BestOrder best = best_order(routes, hosts);
    EXPECT_TRUE(best.contention.contention_free()) << best.how;
    EXPECT_TRUE(best.proven_best);
    expect_order_of(hosts, best.placement);
    EXPECT_EQ(best.placement.size(), 60U);
  }
}

TEST(BestOrder, ProvesThatAJobHasNoFreeOrderAndFindsOneWithDummies) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  const Hosts hosts = some_hosts(*topology, 60, 7);
  const BestOrder best = best_order(routes, hosts, {.steps = 1000});
  EXPECT_FALSE(best.contention.contention_free());
  EXPECT_TRUE(best.proven_best);
  EXPECT_EQ(best.proof.find("sw-L1-0009 [14] -> [10] sw-L2-0001 must carry 72 flows"), 0U) << best.proof;

  const BestOrder padded = best_order(routes, hosts, {.dummies = true});
  EXPECT_TRUE(padded.contention.contention_free());
  EXPECT_TRUE(padded.proof.empty());
  EXPECT_NE(padded.how.find("without dummies none is free"), std::string::npos) << padded.how;
  EXPECT_GE(padded.placement.size(), 73U);  // 72 flows on a link need as many stages
  EXPECT_EQ(padded.placement.size(), 88U);  // and a dummy for every fourth host
  expect_order_of(hosts, padded.placement);
}

// Stages of half the vector, a quarter, ...: an order is judged by the time that all take.
TEST(BestOrder, OfACollectiveIsTheFasterOne) {
  const auto topology = std::make_shared<const Topology>(k_ary_n_tree(4, 2));
  const Routes routes = route(topology, "ftree");
  for (const char* name : {"recursive-halving", "double-tree:3", "ring", "rail:2"}) {
    const auto made = [name](std::int32_t p) { return collective_pattern(name, p, 1 << 20); };
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const Hosts hosts = some_hosts(*topology, 12, seed);
      const auto time = [&](const Placement& placement) {
        return pattern_time(routes, *made(12), placement, 1e9, 0).synchronised;
      };
      const BestOrder best = best_order(routes, hosts, {.steps = 2000, .seed = seed, .pattern = made});
      expect_order_of(hosts, best.placement);
      for (const std::string& order : host_orders()) {
        if (order == "routing-dummies" || order == "random") continue;
        EXPECT_LE(time(best.placement), time(order_hosts(*topology, order, hosts)) * (1 + 1e-9))
            << name << order;
      }
    }
  }
}

TEST(BestOrder, NeverEndsWorseThanItBegan) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto topology = random_tree(seed);
    if (topology->hosts() < 2) continue;
    const Routes routes = random_routes(topology, seed);
    const Hosts hosts = some_hosts(*topology, static_cast<std::size_t>(topology->hosts()), seed);
    const Contention listed = contention(routes, *shift_pattern(topology->hosts()), hosts);
    const BestOrder best = best_order(routes, hosts, {.steps = 200});
    EXPECT_GE(best.contention.mean_share, listed.mean_share);
    EXPECT_LE(best.contention.max_flows, listed.max_flows);
    const Contention again =
        contention(routes, *shift_pattern(static_cast<std::int32_t>(best.placement.size())), best.placement);
    EXPECT_EQ(best.contention.mean_share, again.mean_share);
  }
}

TEST(BestOrder, OrdersOtherPatterns) {
  const auto topology = share(k_ary_n_tree(4, 2));
  const Routes routes = route(topology, "d-mod-k");
  // The transpose: in routing order a leaf sends all it has to hosts of one residue.
  const auto transpose = [](std::int32_t p) {
    Hosts destination;
    for (std::int32_t i = 0; i < p; ++i) destination.push_back(i % 4 * 4 + i / 4);
    return permutation_pattern(destination);
  };
  const Hosts hosts = some_hosts(*topology, 16, 1);
  EXPECT_EQ(contention(routes, *transpose(16), hosts).max_flows, 3);
  const BestOrder best = best_order(routes, hosts, {.pattern = transpose});
  EXPECT_TRUE(best.contention.contention_free()) << best.contention.max_flows;
  EXPECT_EQ(contention(routes, *transpose(16), best.placement).max_flows, 1);
}

TEST(BestOrder, DependsOnTheSeedAlone) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  const Hosts hosts = some_hosts(*topology, 40, 3);
  const auto found = [&](std::uint64_t seed, std::int32_t threads) {
    return best_order(routes, hosts, {.steps = 500, .seed = seed, .analysis = {.threads = threads}})
        .placement;
  };
  EXPECT_EQ(found(1, 1), found(1, 3));
}

TEST(BestOrder, SaysWhenItHasNoRoomToSearch) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  const BestOrder best = best_order(routes, some_hosts(*topology, 60, 1), {.analysis = {.path_bytes = 1000}});
  EXPECT_NE(best.how.find("more memory"), std::string::npos) << best.how;
}

TEST(BestOrder, StopsWhenToldWithTheBestSoFar) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  const Hosts hosts = some_hosts(*topology, 60, 4);
  const BestOrder known = best_order(routes, hosts, {.steps = 0});
  int calls = 0;
  const OrderOptions told{.analysis = {.progress = [&calls](double) { return ++calls < 40; }}};
  const OrderOptions timed{.steps = std::int64_t{1} << 40, .seconds = 0.1};
  for (const OrderOptions& options : {told, timed}) {
    const BestOrder best = best_order(routes, hosts, options);
    expect_order_of(hosts, best.placement);
    EXPECT_GE(best.contention.mean_share, known.contention.mean_share);
  }
}

TEST(BestOrder, DoesNotSearchWhatNoOrderChanges) {
  const auto topology = share(thin_tree(4, 2, 2));
  const Routes routes = route(topology, "d-mod-k");
  const auto all = [](std::int32_t p) { return all_to_all_pattern(p); };
  const BestOrder best = best_order(routes, some_hosts(*topology, 12, 1), {.pattern = all});
  EXPECT_EQ(best.how.find("annealed"), std::string::npos) << best.how;
  EXPECT_NE(best.proof.find("all orders have the same flows"), std::string::npos) << best.proof;
  EXPECT_TRUE(same_in_any_order(*all_to_all_pattern(5)));
  EXPECT_FALSE(same_in_any_order(*shift_pattern(5)));
}

TEST(BestOrder, RefusesWrongArguments) {
  const auto topology = share(crossbar(3));
  const Routes routes = random_routes(topology, 1);
  EXPECT_THROW(best_order(routes, {}), ArgumentError);
  EXPECT_THROW(best_order(routes, {0, 0}), ArgumentError);
  EXPECT_THROW(best_order(routes, {0, 3}), ArgumentError);
  EXPECT_THROW(best_order(routes, {0, 1}, {.steps = -2}), ArgumentError);
  EXPECT_THROW(best_order(routes, {0, 1}, {.seconds = -1}), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
