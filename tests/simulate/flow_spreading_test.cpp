// Flows that are split over several ways.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/flow/fair_network.hpp"
#include "sortlast/simulate/packet.hpp"

namespace sortlast::simulate {
namespace {

using fabric::Channel;

std::shared_ptr<const fabric::Topology> made(const std::string& name) {
  return std::make_shared<const fabric::Topology>(fabric::make_topology(name));
}

FlowResult run(const Ways& ways, const fabric::Topology& topology, const Traffic& traffic,
               const FlowOptions& options = {.link_bytes_per_second = 1e9}) {
  return simulate_flows(ways, traffic, consecutive_hosts(topology, traffic.tasks), options);
}

// The rates of a fair network in which every flow is whole, and one in which shares of 1 are written out.
TEST(SplitFlows, WholeSharesChangeNothing) {
  const auto topology = made("k-ary-n-tree:3,2");
  const Traffic traffic = uniform(9, 10'000, 20, 3);
  const FlowResult whole = run(fabric::route(topology, "d-mod-k"), *topology, traffic);
  FairNetwork plain(4, 10), written(4, 10);
  const std::vector<Channel> a{0, 1}, b{1, 2}, c{2};
  const std::vector<double> ones{1, 1};
  plain.start(0, a, 100);
  plain.start(1, b, 100);
  plain.start(2, c, 50);
  written.start(0, a, 100, ones);
  written.start(1, b, 100, ones);
  written.start(2, c, 50);
  plain.share(0);
  written.share(0);
  for (const std::int32_t flow : {0, 1, 2}) EXPECT_EQ(plain.rate(flow), written.rate(flow));
  EXPECT_EQ(whole.messages, 180);
}

// Flow 0 crosses channel 0 whole, and 1 and 2 by halves; flow 1 has channel 1 whole.
TEST(SplitFlows, AChannelIsFilledByShares) {
  FairNetwork network(3, 12);
  const std::vector<Channel> split{0, 1, 2}, second{1};
  const std::vector<double> shares{1, 0.5, 0.5};
  network.start(0, split, 100, shares);
  network.start(1, second, 100);
  network.share(0);
  // Both rise together until 1.5 r = 12.
  EXPECT_DOUBLE_EQ(network.rate(0), 8);
  EXPECT_DOUBLE_EQ(network.rate(1), 8);
  network.end(1);
  network.share(1);
  EXPECT_DOUBLE_EQ(network.rate(0), 12);
  EXPECT_DOUBLE_EQ(network.next_end(), 1 + (100 - 8) / 12.0);
}

TEST(SplitFlows, AFlowOnSeveralWaysIsFasterThanOneOfThem) {
  FairNetwork network(2, 5);
  const std::vector<Channel> both{0, 1};
  const std::vector<double> halves{0.5, 0.5};
  network.start(0, both, 100, halves);
  network.share(0);
  EXPECT_DOUBLE_EQ(network.rate(0), 10);
}

// On a full tree a permutation runs at the rate of the hosts' links, whatever the order of the hosts.
TEST(SplitFlows, APermutationHasTheWholeTree) {
  const auto topology = made("k-ary-n-tree:4,2");
  const Traffic traffic = shift(16, 1'000'000, 1, 16);
  const fabric::Placement random = fabric::order_hosts(*topology, "random", {}, 7);
  const FlowOptions options{.link_bytes_per_second = 1e9};
  const double ideal = 15 * 1e-3;
  const FlowResult split = simulate_flows(fabric::spreading(topology, "ar-ftree"), traffic, random, options);
  EXPECT_NEAR(split.seconds, ideal, 1e-9);
  EXPECT_GT(simulate_flows(fabric::route(topology, "ftree"), traffic, random, options).seconds, 1.2 * ideal);

  // Every byte goes up one link and down one, and they are spread evenly.
  const std::int64_t on_all =
      std::accumulate(split.channel_bytes.begin(), split.channel_bytes.end(), std::int64_t{0});
  EXPECT_GT(on_all, 2 * split.bytes);
}

TEST(SplitFlows, TwoToOneTaperHalvesWhatLeavesALeaf) {
  const auto topology = made("pgft:4,4;1,2;1,1");
  std::vector<std::int32_t> to(16);
  for (std::int32_t i = 0; i < 16; ++i) to[static_cast<std::size_t>(i)] = (i + 4) % 16;
  const Traffic traffic = pattern_traffic(*fabric::permutation_pattern(to, 1'000'000), 1, 2);
  EXPECT_NEAR(run(fabric::spreading(topology, "ar-ftree"), *topology, traffic).seconds, 2e-3, 1e-9);
}

TEST(SplitFlows, AFrameOfAScheduleRunsOnThem) {
  const auto topology = made("k-ary-n-tree:4,2");
  const Schedule schedule = make_schedule("binary-swap", {.p = 16, .n = 1 << 20});
  const fabric::Placement random = fabric::order_hosts(*topology, "random", {}, 5);
  const CompositingResult split = simulate(schedule, fabric::spreading(topology, "ar-ftree"), random);
  const CompositingResult fixed = simulate(schedule, fabric::route(topology, "ftree"), random);
  EXPECT_LT(split.timing.total, fixed.timing.total);
  EXPECT_EQ(split.flow.bytes, fixed.flow.bytes);
}

TEST(SplitFlows, WithoutHostLinksANodeUsesAllItsLinks) {
  const auto topology = made("torus:4,4");
  const Traffic traffic =
      pattern_traffic(*fabric::permutation_pattern(
                          {5, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}, 1'000'000),
                      1, 2);
  const Ways ways = fabric::spreading(topology, "shortest");
  EXPECT_NEAR(run(ways, *topology, traffic).seconds, 1e-3, 1e-9);
  EXPECT_NEAR(run(ways, *topology, traffic, {.link_bytes_per_second = 1e9, .host_links = false}).seconds,
              0.5e-3, 1e-9);
}

TEST(SplitFlows, QueuesAtLinksNeedOnePath) {
  const auto topology = made("k-ary-n-tree:2,2");
  EXPECT_THROW(
      run(fabric::spreading(topology, "shortest"), *topology, shift(4, 100, 1, 4), {.ordered_links = true}),
      ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
