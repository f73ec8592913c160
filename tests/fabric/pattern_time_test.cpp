// Times of patterns: by hand on small fabrics, and the frame rates of Cavin and Demengeon, section 5.
#include <gtest/gtest.h>

#include <numeric>

#include "fabric/random_routes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {
namespace {

constexpr double link = 1827e6;   // byte/s: their run on one crossbar
constexpr double stage = 113e-6;  // s

// Two switches with a cable between them and two hosts on each.
Routes dumbbell() {
  TopologyBuilder builder("dumbbell");
  for (const char* name : {"a", "b"}) builder.add_switch({.name = name, .ports = 3});
  for (std::int32_t h = 0; h < 4; ++h) {
    builder.add_host({.name = "host " + std::to_string(h)});
    builder.connect_host(h, h / 2, 1 + h % 2);
  }
  builder.connect(0, 3, 1, 3);
  return random_routes(std::make_shared<const Topology>(std::move(builder).finish()), 1);
}

TEST(PatternTime, OfADumbbellByHand) {
  const Routes routes = dumbbell();
  // Stage 0: two flows share the cable, one stays on its switch. Stage 1: one flow alone.
  const auto pattern = traffic_pattern("by hand", 4, {{{0, 2, 100}, {1, 3, 60}, {3, 2, 50}}, {{2, 3, 400}}});
  // The ejection to host 2 has two flows as well.
  const PatternTime time = pattern_time(routes, *pattern, {0, 1, 2, 3}, 10, 3);
  const double a = 3 + 20, b = 3 + 12, c = 3 + 10, d = 3 + 40;
  EXPECT_DOUBLE_EQ(time.synchronised, a + d);
  EXPECT_DOUBLE_EQ(time.free_running, d);
  EXPECT_DOUBLE_EQ(time.mean_bandwidth, (100 / a + 60 / b + 50 / c + 400 / d) / 4);
}

TEST(PatternTime, OfMessagesWithinAHostAndToDummies) {
  const Routes routes = dumbbell();
  const auto pattern = traffic_pattern("local", 3, {{{0, 1, 100}}, {{0, 2, 100}}, {}});
  const PatternTime time = pattern_time(routes, *pattern, {0, 0, -1}, 10, 3);
  EXPECT_DOUBLE_EQ(time.synchronised, 3);
  EXPECT_DOUBLE_EQ(time.free_running, 3);
  EXPECT_EQ(time.mean_bandwidth, 0);
}

class PaperTimes : public testing::Test {
 protected:
  double frames(std::int32_t p, double pixels, bool free_running = false, std::uint64_t seed = 0) const {
    Placement placement(144);
    std::iota(placement.begin(), placement.end(), 0);
    SplitMix64 random(seed);
    if (seed > 0) shuffle(placement, random);
    placement.resize(static_cast<std::size_t>(p));
    const auto shift = shift_pattern(p, static_cast<std::int64_t>(16 * pixels / p));
    const PatternTime time = pattern_time(routes_, *shift, placement, link, stage);
    return 1 / (free_running ? time.free_running : time.synchronised);
  }

  static constexpr double megapixels = 1024 * 1024;
  Routes routes_ = route(std::make_shared<const Topology>(k_ary_n_tree(12, 2)), "d-mod-k");
};

// 10 % of what they measured, and the figures themselves, so that a change of the model is seen.
TEST_F(PaperTimes, FrameRatesAreWithinTenPercent) {
  const auto expect = [](double ours, double expected, double theirs) {
    EXPECT_NEAR(ours, expected, 0.05);
    EXPECT_NEAR(ours, theirs, 0.1 * theirs);
  };
  expect(frames(12, 8 * megapixels), 14.58, 14.5);   // Figure 4
  expect(frames(144, 8 * megapixels), 11.22, 11.5);  // Figure 5
  expect(frames(144, 16 * megapixels), 6.17, 5.8);   // Figure 7
  expect(frames(64, 8 * megapixels), 7.70, 8);       // Figure 9
}

// Their alphabetical order is not known; that of other names on the same cluster is a random one.
TEST_F(PaperTimes, FrameRateOfAnOrderThatDoesNotFollowTheRoutingIsWithinTenPercent) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    EXPECT_NEAR(frames(144, 8 * megapixels, true, seed), 6.5, 0.65);  // Figure 6
  }
}

// Figure 8. Up to 24 nodes a leaf sends to one other leaf at most, and nothing contends.
TEST_F(PaperTimes, FrameRatesPeakAtWholeLeaves) {
  for (const double image : {4 * megapixels, 8 * megapixels, 16 * megapixels}) {
    std::vector<double> rate(145, 0);
    for (std::int32_t p = 12; p <= 144; ++p) rate[static_cast<std::size_t>(p)] = frames(p, image);
    for (std::size_t p = 24; p <= 144; ++p) {
      const bool above_next = p == 144 || rate[p] > 1.05 * rate[p + 1];
      const bool above_last = p == 24 || rate[p] > 1.05 * rate[p - 1];
      EXPECT_EQ(above_next && above_last, p % 12 == 0) << p << " nodes";
    }
  }
}

TEST_F(PaperTimes, TimesDoNotDependOnTheNumberOfThreads) {
  Placement placement(144);
  std::iota(placement.begin(), placement.end(), 0);
  SplitMix64 random(4);
  shuffle(placement, random);
  const auto shift = shift_pattern(144, 12345);
  const PatternTime one = pattern_time(routes_, *shift, placement, link, stage, {.threads = 1});
  const PatternTime four = pattern_time(routes_, *shift, placement, link, stage, {.threads = 4});
  EXPECT_EQ(one.synchronised, four.synchronised);
  EXPECT_EQ(one.free_running, four.free_running);
  EXPECT_EQ(one.mean_bandwidth, four.mean_bandwidth);
}

TEST_F(PaperTimes, RefusesWrongArguments) {
  const Placement placement = {0, 1, 2};
  EXPECT_THROW(pattern_time(routes_, *shift_pattern(3), placement, 0, 0), ArgumentError);
  EXPECT_THROW(pattern_time(routes_, *shift_pattern(3), placement, 1, -1), ArgumentError);
  EXPECT_THROW(pattern_time(routes_, *shift_pattern(4), placement, 1, 1), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
