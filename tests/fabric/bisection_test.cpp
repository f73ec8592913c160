// Effective bisection bandwidth: what a sample is, and the figures of fabrics for which they are known.
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "fabric/naive_contention.hpp"
#include "fabric/random_routes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> share(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

Placement in_order(const Topology& topology) {
  Placement placement(static_cast<std::size_t>(topology.hosts()));
  std::iota(placement.begin(), placement.end(), 0);
  return placement;
}

double naive_share(const Routes& routes, const Placement& placement, const std::vector<Flow>& flows) {
  const auto p = static_cast<std::int32_t>(placement.size());
  const auto paths = naive::paths(routes, *traffic_pattern("sample", p, {flows}), placement, 0);
  const naive::Loads loads = naive::loads(paths);
  double shares = 0;
  for (const auto& path : paths) {
    std::int32_t fullest = 0;
    for (const Channel c : path) fullest = std::max(fullest, loads.at(c));
    shares += 1.0 / fullest;
  }
  return shares / static_cast<double>(paths.size());
}

TEST(Bisection, SamplesPairTwoRandomHalves) {
  const auto topology = share(thin_tree(4, 2, 2));
  const Routes routes = random_routes(topology, 3);
  Placement placement = in_order(*topology);
  placement.insert(placement.begin() + 3, -1);  // a dummy takes no part
  constexpr std::uint64_t seed = 11;
  const Bisection result = bisection(routes, placement, 9, seed);
  for (std::size_t sample = 0; sample < 9; ++sample) {
    std::vector<std::int32_t> order;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(placement.size()); ++i) {
      if (i != 3) order.push_back(i);
    }
    SplitMix64 random(seed, sample);
    shuffle(order, random);
    const std::size_t half = order.size() / 2;
    std::vector<Flow> one_way, both_ways;
    for (std::size_t i = 0; i < half; ++i) {
      one_way.push_back({order[i], order[half + i], 1});
      both_ways.push_back(one_way.back());
      both_ways.push_back({order[half + i], order[i], 1});
    }
    EXPECT_NEAR(result.one_way_samples[sample], naive_share(routes, placement, one_way), 1e-12);
    EXPECT_NEAR(result.both_ways_samples[sample], naive_share(routes, placement, both_ways), 1e-12);
  }
  EXPECT_NEAR(result.one_way,
              std::accumulate(result.one_way_samples.begin(), result.one_way_samples.end(), 0.0) / 9, 1e-12);
}

TEST(Bisection, ShufflesEveryOrderAboutEquallyOften) {
  std::map<std::vector<int>, int> seen;
  SplitMix64 random(5);
  for (int i = 0; i < 24000; ++i) {
    std::vector<int> order = {0, 1, 2, 3};
    shuffle(order, random);
    ++seen[order];
  }
  EXPECT_EQ(seen.size(), 24U);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 1000, 160);  // five standard deviations
}

TEST(Bisection, OfACrossbarIsWhole) {
  const auto topology = share(crossbar(9));
  const Bisection result = bisection(random_routes(topology, 1), in_order(*topology), 20, 1);
  EXPECT_EQ(result.one_way, 1);
  EXPECT_EQ(result.both_ways, 1);
}

TEST(Bisection, OfA12Ary2TreeIsLowerBothWays) {
  const auto topology = share(k_ary_n_tree(12, 2));
  const Routes routes = route(topology, "d-mod-k");
  const Bisection result = bisection(routes, in_order(*topology), 1000, 1);
  EXPECT_NEAR(result.one_way, 0.840, 0.005);
  EXPECT_NEAR(result.both_ways, 0.709, 0.005);
}

TEST(Bisection, DoesNotDependOnTheNumberOfThreadsButOnTheSeed) {
  const auto topology = share(k_ary_n_tree(4, 2));
  const Routes routes = random_routes(topology, 1);
  const Placement placement = in_order(*topology);
  const Bisection one = bisection(routes, placement, 50, 1, {.threads = 1});
  const Bisection five = bisection(routes, placement, 50, 1, {.threads = 5});
  EXPECT_EQ(one.one_way_samples, five.one_way_samples);
  EXPECT_EQ(one.both_ways_samples, five.both_ways_samples);
  EXPECT_NE(one.one_way_samples, bisection(routes, placement, 50, 2).one_way_samples);
}

TEST(Bisection, RefusesWrongArguments) {
  const auto topology = share(crossbar(3));
  const Routes routes = random_routes(topology, 1);
  EXPECT_THROW(bisection(routes, {0, 1, 2}, 0, 1), ArgumentError);
  EXPECT_THROW(bisection(routes, {0, -1}, 1, 1), ArgumentError);
  EXPECT_THROW(bisection(routes, {0, 3}, 1, 1), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
