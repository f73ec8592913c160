// Traffic: the patterns' messages and causes, programs, what is refused.
#include "sortlast/simulate/traffic.hpp"

#include <gtest/gtest.h>

#include <map>

#include "sortlast/error.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

TEST(Patterns, HaveTheMessagesOfThePaperAt4096Ranks) {
  const std::map<std::string, std::int64_t> expected{
      {"2W", 16128}, {"3W", 23040}, {"2M", 16128}, {"3M", 23040}, {"BU", 49152}, {"BT", 4095}, {"WF", 8064}};
  for (const PatternEntry& entry : patterns()) {
    const Traffic traffic = pattern(entry.name, 4096, 10);
    check(traffic);
    EXPECT_EQ(totals(traffic).messages, expected.at(entry.name)) << entry.name;
  }
}

TEST(Patterns, CutAWaterfallIntoSmallMessages) {
  const std::map<std::int64_t, std::int64_t> repeats{
      {10, 1}, {100, 4}, {1000, 16}, {10000, 79}, {100000, 391}};
  for (const auto& [size, times] : repeats) {
    const Traffic traffic = pattern("WF", 4096, size);
    EXPECT_EQ(traffic.repeats, times) << size;
    EXPECT_EQ(totals(traffic).messages, 8064 * times) << size;
    EXPECT_GE(traffic.size[0] * times, size);
    EXPECT_LT(traffic.size[0] * (times - 1), size);
  }
}

// The longest chain of messages, by following causes and the order of each program.
std::int64_t longest_chain(const Traffic& traffic) {
  std::vector<std::int64_t> length(static_cast<std::size_t>(traffic.messages()), 1);
  const std::vector<std::int32_t> source = sources(traffic);
  std::int64_t longest = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t m = 0; m < length.size(); ++m) {
      std::int64_t least = m > 0 && source[m] == source[m - 1] ? length[m - 1] : 1;
      for (std::int64_t i = traffic.first_cause[m]; i < traffic.first_cause[m + 1]; ++i) {
        least = std::max(least,
                         length[static_cast<std::size_t>(traffic.causes[static_cast<std::size_t>(i)])] + 1);
      }
      changed = changed || least > length[m];
      length[m] = std::max(length[m], least);
      longest = std::max(longest, length[m]);
    }
  }
  return longest;
}

TEST(Patterns, HaveTheChainsOfThePaper) {
  EXPECT_EQ(longest_chain(pattern("WF", 4096, 10)), 126);
  EXPECT_EQ(longest_chain(pattern("2W", 64, 10)), 28);
  EXPECT_EQ(longest_chain(pattern("3W", 64, 10)), 18);
  EXPECT_EQ(longest_chain(pattern("BU", 256, 10)), 8);
  EXPECT_EQ(longest_chain(pattern("BT", 256, 10)), 8);
  EXPECT_EQ(longest_chain(pattern("2M", 64, 10)), 1);
}

TEST(Patterns, OfTheFabricLabWaitForWhatComesBefore) {
  for (const char* name : {"ring", "recursive-halving", "double-tree:3", "bruck", "rail:2", "chain"}) {
    for (const std::int32_t p : {2, 4, 6, 12}) {
      const auto pattern = fabric::collective_pattern(name, p, 1000);
      const std::int64_t all = fabric::steps(*pattern);
      const Traffic traffic = pattern_traffic(*pattern, 1, all + 1);
      check(traffic);
      std::int64_t messages = 0, bytes = 0;
      for (std::int64_t stage = 0; stage < pattern->stages(); ++stage) {
        for (const fabric::Flow& flow : pattern->flows(stage)) {
          messages += pattern->repeats(stage);
          bytes += pattern->repeats(stage) * flow.bytes;
        }
      }
      EXPECT_EQ(totals(traffic).messages, messages);
      EXPECT_EQ(totals(traffic).bytes, bytes);
      EXPECT_EQ(longest_chain(traffic), all) << name << p;
      EXPECT_EQ(totals(pattern_traffic(*pattern, 2, 2)).messages, 0);
    }
  }
  const auto ring = fabric::collective_pattern("ring", 5, 5);
  EXPECT_EQ(totals(pattern_traffic(*ring, 3, 6)).messages, 15);
  EXPECT_THROW(pattern_traffic(*ring, 0, 2), ArgumentError);
  EXPECT_THROW(pattern_traffic(*ring, 3, 10), ArgumentError);
  EXPECT_THROW(pattern_traffic(*fabric::collective_pattern("ring", 65536, 1), 1, 131071), ArgumentError);
}

TEST(Patterns, RefuseRanksThatDoNotFit) {
  EXPECT_THROW(pattern("2W", 63, 10), ArgumentError);
  EXPECT_THROW(pattern("3M", 100, 10), ArgumentError);
  EXPECT_THROW(pattern("BU", 96, 10), ArgumentError);
  EXPECT_THROW(pattern("BT", 64, 0), ArgumentError);
  EXPECT_THROW(pattern("XX", 64, 10), ArgumentError);
  EXPECT_THROW(shift(8, 10, 0, 3), ArgumentError);
  EXPECT_THROW(shift(8, 10, 1, 9), ArgumentError);
}

TEST(Patterns, SendToEverybody) {
  const Traffic all = all_to_all(9, 100);
  check(all);
  EXPECT_EQ(totals(all).messages, 72);
  EXPECT_EQ(totals(all).bytes, 7200);
  const Traffic stages = shift(9, 100, 1, 9);
  check(stages);
  EXPECT_EQ(totals(stages).messages, 72);
  EXPECT_EQ(longest_chain(stages), 8);
  const Traffic random = uniform(9, 100, 5, 1);
  check(random);
  EXPECT_EQ(totals(random).messages, 45);
  EXPECT_EQ(random, uniform(9, 100, 5, 1));
  EXPECT_NE(random, uniform(9, 100, 5, 2));
}

TEST(Programs, ASendWaitsForTheReceivesBeforeIt) {
  Programs programs("three", 3);
  programs.send(0, 1, 10);
  programs.send(0, 1, 20);
  programs.receive(1, 0);
  programs.send(1, 2, 30);
  programs.receive(1, 0);
  programs.receive(1, 2);
  programs.compute(1, 500);
  programs.receive(2, 1);
  programs.send(2, 1, 40);
  const Traffic made = std::move(programs).finish();
  check(made);
  EXPECT_EQ(made.first, (std::vector<std::int32_t>{0, 2, 4, 5}));
  EXPECT_EQ(made.destination, (std::vector<std::int32_t>{1, 1, 2, 1, 1}));
  EXPECT_EQ(made.size, (std::vector<std::int64_t>{10, 20, 30, 500, 40}));
  EXPECT_EQ(made.first_cause, (std::vector<std::int64_t>{0, 0, 0, 1, 3, 4}));
  EXPECT_EQ(made.causes, (std::vector<std::int32_t>{0, 1, 4, 2}));
  EXPECT_EQ(totals(made).messages, 4);
  EXPECT_EQ(totals(made).bytes, 100);
}

TEST(Programs, MatchByTag) {
  Programs programs("tags", 2);
  programs.send(0, 1, 10, 5);
  programs.send(0, 1, 20, 6);
  programs.receive(1, 0, 6);
  programs.send(1, 0, 30);
  const Traffic made = std::move(programs).finish();
  EXPECT_EQ(made.causes, (std::vector<std::int32_t>{1}));
}

TEST(Programs, RefuseWhatIsWrong) {
  EXPECT_THROW(Programs("none", 0), ArgumentError);
  Programs programs("two", 2);
  EXPECT_THROW(programs.send(0, 0, 1), ArgumentError);
  EXPECT_THROW(programs.send(0, 2, 1), ArgumentError);
  EXPECT_THROW(programs.send(-1, 0, 1), ArgumentError);
  EXPECT_THROW(programs.send(0, 1, -1), ArgumentError);
  EXPECT_THROW(programs.receive(1, 1), ArgumentError);
  Programs waits("two", 2);
  waits.send(0, 1, 1);
  waits.receive(1, 0);
  waits.receive(1, 0);
  EXPECT_THROW(std::move(waits).finish(), ArgumentError);
}

TEST(Traffic, RefusesWhatIsInconsistent) {
  const Traffic good = pattern("BU", 8, 10);
  const auto refused = [&](const auto& spoil) {
    Traffic bad = good;
    spoil(bad);
    EXPECT_THROW(check(bad), ArgumentError);
  };
  check(good);
  refused([](Traffic& t) { t.tasks = 0; });
  refused([](Traffic& t) { t.first.pop_back(); });
  refused([](Traffic& t) { t.size.pop_back(); });
  refused([](Traffic& t) { t.destination[3] = 8; });
  refused([](Traffic& t) { t.size[3] = -1; });
  refused([](Traffic& t) { t.causes[3] = -1; });
  refused([](Traffic& t) { t.causes[3] = t.messages(); });
  refused([](Traffic& t) { t.causes[0] = t.messages() - 1; });
  refused([](Traffic& t) { t.first_cause.back() += 1; });
  refused([](Traffic& t) { t.repeats = 0; });
  refused([](Traffic& t) {
    t.repeats = 2;
    t.in_order = false;
  });
}

// Each message of an iteration waits for all that its sender received in the one before.
TEST(Halo, RanksOfAGridExchangeFacesWithTheirNeighbours) {
  const Traffic traffic = halo({3, 2, 2}, 100, 3);
  check(traffic);
  EXPECT_EQ(traffic.tasks, 12);
  const int faces = 2 * (2 * 2 * 2 + 3 * 1 * 2 + 3 * 2 * 1);
  EXPECT_EQ(traffic.messages(), 3 * faces);
  EXPECT_EQ(totals(traffic).bytes, 300 * faces);
  const std::vector<std::int32_t> source = sources(traffic);
  std::map<std::pair<std::int32_t, std::int32_t>, int> sent;
  std::vector<int> iteration(source.size());
  for (std::size_t m = 0; m < source.size(); ++m) {
    iteration[m] = sent[{source[m], traffic.destination[m]}]++;
    const std::int32_t apart = std::abs(source[m] - traffic.destination[m]);
    EXPECT_TRUE(apart == 1 || apart == 3 || apart == 6);
    if (apart == 1) {
      EXPECT_EQ(source[m] / 3, traffic.destination[m] / 3);
    }
  }
  for (std::size_t m = 0; m < source.size(); ++m) {
    std::int64_t received = 0;
    for (std::size_t other = 0; other < source.size(); ++other) {
      if (traffic.destination[other] == source[m] && iteration[other] == iteration[m] - 1) ++received;
    }
    EXPECT_EQ(traffic.first_cause[m + 1] - traffic.first_cause[m], received);
    for (std::int64_t i = traffic.first_cause[m]; i < traffic.first_cause[m + 1]; ++i) {
      const auto cause = static_cast<std::size_t>(traffic.causes[static_cast<std::size_t>(i)]);
      EXPECT_EQ(traffic.destination[cause], source[m]);
      EXPECT_EQ(iteration[cause], iteration[m] - 1);
    }
  }
  EXPECT_EQ(halo({1}, 5, 7).messages(), 0);
  EXPECT_THROW((void)halo({}, 1), ArgumentError);
  EXPECT_THROW((void)halo({4, 0}, 1), ArgumentError);
  EXPECT_THROW((void)halo({1 << 16, 1 << 16}, 1), ArgumentError);
  EXPECT_THROW((void)halo({INT32_MAX}, 1), ArgumentError);
  EXPECT_THROW((void)halo({4}, 0), ArgumentError);
  EXPECT_THROW((void)halo({4}, 1, 0), ArgumentError);
  EXPECT_THROW((void)halo({1 << 16}, 1, 20'000), ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
