// Patterns: who sends to whom at which stage, and what is refused.
#include "sortlast/fabric/pattern.hpp"

#include <gtest/gtest.h>

#include <set>

#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::fabric {
namespace {

std::int64_t all_flows(const Pattern& pattern) {
  std::int64_t count = 0;
  for (std::int64_t s = 0; s < pattern.stages(); ++s) {
    count += static_cast<std::int64_t>(pattern.flows(s).size());
  }
  return count;
}

TEST(Pattern, ShiftsSendFromEverybodyToEverybodyElseOnce) {
  const auto shift = shift_pattern(7, 5);
  EXPECT_EQ(shift->stages(), 6);
  EXPECT_TRUE(shift->is_shift());
  std::set<std::pair<std::int32_t, std::int32_t>> pairs;
  for (std::int64_t s = 0; s < shift->stages(); ++s) {
    for (const Flow& flow : shift->flows(s)) {
      EXPECT_EQ(flow.destination, (flow.source + s + 1) % 7);
      EXPECT_EQ(flow.bytes, 5);
      pairs.emplace(flow.source, flow.destination);
    }
  }
  EXPECT_EQ(pairs.size(), 42U);
  EXPECT_EQ(shift_pattern(1)->stages(), 0);
}

TEST(Pattern, AllToAllIsOneStage) {
  EXPECT_EQ(all_to_all_pattern(5)->stages(), 1);
  EXPECT_EQ(all_flows(*all_to_all_pattern(5)), 20);
  EXPECT_FALSE(all_to_all_pattern(5)->is_shift());
  EXPECT_EQ(all_to_all_pattern(1)->stages(), 0);
}

TEST(Pattern, PermutationsLeaveOutWhoSendsToNobodyOrItself) {
  const auto flows = permutation_pattern({2, 1, -1}, 8)->flows(0);
  EXPECT_EQ(flows, (std::vector<Flow>{{0, 2, 8}}));
}

TEST(Pattern, SchedulesKeepStagesAndBytes) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    const Schedule schedule = make_schedule(algorithm.name, {.p = 8, .n = 4096});
    const auto pattern = schedule_pattern(schedule, 16);
    EXPECT_EQ(pattern->participants(), 8);
    EXPECT_EQ(pattern->stages(), schedule.stages());
    std::int64_t bytes = 0, expected = 0;
    for (std::int64_t s = 0; s < pattern->stages(); ++s) {
      for (const Flow& flow : pattern->flows(s)) bytes += flow.bytes;
    }
    for (const Transfer& transfer : schedule.transfers()) expected += 16 * transfer.fragment.pixels.size();
    EXPECT_EQ(bytes, expected) << algorithm.name;
  }
}

TEST(Pattern, TheScheduleShiftIsKnownToBeAShift) {
  EXPECT_TRUE(schedule_pattern(make_schedule("shift", {.p = 9, .n = 900}), 4)->is_shift());
  EXPECT_FALSE(schedule_pattern(make_schedule("direct-send", {.p = 9, .n = 900}), 4)->is_shift());
  // With fewer pixels than ranks some have no piece: nobody sends to them.
  EXPECT_FALSE(schedule_pattern(make_schedule("shift", {.p = 9, .n = 4}), 4)->is_shift());
  EXPECT_EQ(all_flows(*schedule_pattern(make_schedule("shift", {.p = 9, .n = 4}), 4)), 4 * 8);
}

// tests/python/test_fabric_collectives.py plays them with symbols.
TEST(Pattern, CollectivesSendToOthersThatExist) {
  for (const Collective& collective : collectives()) {
    const std::string name = collective.name == "rail:K"          ? "rail:1"
                             : collective.name == "rail-ring:K"   ? "rail-ring:1"
                             : collective.name == "double-tree:C" ? "double-tree:7"
                                                                  : collective.name;
    for (std::int32_t p = 1; p < 20; ++p) {
      const auto pattern = collective_pattern(name, p, 1000);
      EXPECT_EQ(pattern->participants(), p);
      EXPECT_EQ(pattern->name(), name);
      EXPECT_EQ(pattern->stages() == 0, p == 1) << name;
      for (std::int64_t s = 0; s < pattern->stages(); ++s) {
        EXPECT_GE(pattern->repeats(s), 1);
        EXPECT_FALSE(pattern->flows(s).empty());
        for (const Flow& flow : pattern->flows(s)) {
          EXPECT_TRUE(flow.source >= 0 && flow.source < p && flow.destination >= 0 && flow.destination < p);
          EXPECT_NE(flow.source, flow.destination);
          EXPECT_TRUE(flow.bytes > 0 && flow.bytes <= 1000 + p) << name;
        }
      }
    }
  }
  EXPECT_TRUE(collective_pattern("pairwise", 9, 9)->is_shift());
  EXPECT_FALSE(collective_pattern("bruck", 9, 9)->is_shift());
  EXPECT_EQ(steps(*collective_pattern("ring", 65536, 1 << 30)), 131070);
}

TEST(Pattern, GroupsAndNodesAreMadeOfCollectives) {
  const auto groups = groups_pattern(6, {{"inner", 2, "ring", 10}, {"outer", 3, "chain", 5}});
  EXPECT_EQ(groups->stages(), 2);
  EXPECT_EQ(groups->flows(0), (std::vector<Flow>{{0, 1, 5},
                                                 {1, 0, 5},
                                                 {2, 3, 5},
                                                 {3, 2, 5},
                                                 {4, 5, 5},
                                                 {5, 4, 5},
                                                 {0, 2, 5},
                                                 {2, 4, 5},
                                                 {1, 3, 5},
                                                 {3, 5, 5}}));
  EXPECT_EQ(node_pattern(groups, 2)->flows(0),
            (std::vector<Flow>{{0, 1, 5}, {1, 2, 5}, {0, 1, 5}, {1, 2, 5}}));
  EXPECT_EQ(groups_pattern(2, {{"none", 2, "", 0}})->stages(), 0);
  EXPECT_THROW(groups_pattern(6, {{"inner", 4, "ring", 1}}), ArgumentError);
  EXPECT_THROW(node_pattern(groups, 4), ArgumentError);
  EXPECT_THROW(node_pattern(groups, 0), ArgumentError);
  EXPECT_THROW(collective_pattern("rail", 4, 1), ArgumentError);
}

TEST(Pattern, RefusesWrongArguments) {
  EXPECT_THROW(shift_pattern(0), ArgumentError);
  EXPECT_THROW(shift_pattern(3, -1), ArgumentError);
  EXPECT_THROW(all_to_all_pattern(-1), ArgumentError);
  EXPECT_THROW(all_to_all_pattern(65536), ArgumentError);
  EXPECT_THROW(permutation_pattern({1, 1}), ArgumentError);
  EXPECT_THROW(permutation_pattern({2, 0}), ArgumentError);
  EXPECT_THROW(permutation_pattern({-2, 0}), ArgumentError);
  EXPECT_THROW(permutation_pattern({}), ArgumentError);
  EXPECT_THROW(traffic_pattern("t", 2, {{{0, 2, 1}}}), ArgumentError);
  EXPECT_THROW(traffic_pattern("t", 2, {{{1, 1, 1}}}), ArgumentError);
  EXPECT_THROW(traffic_pattern("t", 2, {{{0, 1, -1}}}), ArgumentError);
  EXPECT_THROW(schedule_pattern(make_schedule("shift", {.p = 2, .n = 2}), -1), ArgumentError);
}

}  // namespace
}  // namespace sortlast::fabric
