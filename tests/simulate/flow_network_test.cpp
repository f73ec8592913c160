// Max-min fair rates: classic cases, the condition that makes them fair, and the naive reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "simulate/flow_reference.hpp"
#include "sortlast/random.hpp"
#include "sortlast/simulate/flow/fair_network.hpp"

namespace sortlast::simulate {
namespace {

using Path = std::vector<fabric::Channel>;

TEST(FairNetwork, FlowsOnOneChannelHaveEqualShares) {
  FairNetwork network(1, 12);
  const Path path{0};
  for (std::int32_t flow = 0; flow < 4; ++flow) network.start(flow, path, 30);
  network.share(0);
  for (std::int32_t flow = 0; flow < 4; ++flow) EXPECT_DOUBLE_EQ(network.rate(flow), 3);
  EXPECT_DOUBLE_EQ(network.next_end(), 10);
}

// Bertsekas and Gallager's example: one flow crosses three links, and others one link each, of which the
// second link has two. The long flow gets what the second link gives, and the others take the rest.
TEST(FairNetwork, ALongFlowTakesTheLeastShareAndLeavesTheRest) {
  FairNetwork network(3, 1);
  const Path all{0, 1, 2}, first{0}, second{1}, third{2};
  network.start(0, all, 1);
  network.start(1, first, 1);
  network.start(2, second, 1);
  network.start(3, second, 1);
  network.start(4, third, 1);
  network.share(0);
  const double expected[] = {1. / 3, 2. / 3, 1. / 3, 1. / 3, 2. / 3};
  for (std::int32_t flow = 0; flow < 5; ++flow) EXPECT_DOUBLE_EQ(network.rate(flow), expected[flow]) << flow;
}

TEST(FairNetwork, TheRestSpeedsUpWhenAFlowEnds) {
  FairNetwork network(2, 100);
  const Path both{0, 1}, first{0};
  network.start(0, both, 100);
  network.start(1, first, 50);
  network.share(0);
  EXPECT_EQ(network.next_flow(), 1);
  EXPECT_DOUBLE_EQ(network.next_end(), 1);
  network.end(1);
  network.share(1);
  EXPECT_DOUBLE_EQ(network.rate(0), 100);
  EXPECT_DOUBLE_EQ(network.next_end(), 1.5);  // 50 of its bytes were left
  network.end(0);
  network.share(1.5);
  EXPECT_EQ(network.next_end(), FairNetwork::never);
}

TEST(FairNetwork, OnlyTheComponentOfAChangeIsComputed) {
  FairNetwork network(4, 1);
  const Path left{0, 1}, right{2, 3};
  network.start(0, left, 1);
  network.start(1, left, 1);
  network.start(2, right, 1);
  network.start(3, right, 1);
  network.share(0);
  EXPECT_EQ(network.shares(), 4);
  network.end(0);
  network.share(1);
  EXPECT_EQ(network.shares(), 5);
  EXPECT_DOUBLE_EQ(network.rate(1), 1);
  EXPECT_DOUBLE_EQ(network.rate(2), 0.5);
}

// A few channels in random order, without repetition.
Path random_path(SplitMix64& random, fabric::Channel channels) {
  Path path(static_cast<std::size_t>(channels));
  for (fabric::Channel c = 0; c < channels; ++c) path[static_cast<std::size_t>(c)] = c;
  sortlast::shuffle(path, random);
  path.resize(1 + random.below(std::min<std::size_t>(5, path.size())));
  return path;
}

// Flows that come and go at random: what was computed part by part is what the definition gives for all, and
// every flow has a full channel on which nobody is faster, which is what makes an allocation max-min fair.
TEST(FairNetwork, RatesAreFairWhateverComesAndGoes) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SplitMix64 random(seed);
    const auto channels = static_cast<fabric::Channel>(1 + random.below(24));
    FairNetwork network(channels, 7);
    std::vector<naive::Flow> flows(24);
    for (naive::Flow& flow : flows) flow.over = true;
    for (int step = 0; step < 60; ++step) {
      for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
        const std::size_t i = random.below(flows.size());
        flows[i].over = !flows[i].over;
        if (flows[i].over) {
          network.end(static_cast<std::int32_t>(i));
        } else {
          flows[i].path = random_path(random, channels);
          network.start(static_cast<std::int32_t>(i), flows[i].path, 1e6);
        }
      }
      network.share(step);
      naive::fill(flows, 7);

      std::vector<double> used(static_cast<std::size_t>(channels), 0), fastest(used);
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (flows[i].over) continue;
        const double rate = network.rate(static_cast<std::int32_t>(i));
        ASSERT_NEAR(rate, flows[i].rate, 1e-8) << "seed " << seed << " step " << step << " flow " << i;
        for (const fabric::Channel c : flows[i].path) {
          used[static_cast<std::size_t>(c)] += rate;
          fastest[static_cast<std::size_t>(c)] = std::max(fastest[static_cast<std::size_t>(c)], rate);
        }
      }
      for (std::size_t i = 0; i < flows.size(); ++i) {
        if (flows[i].over) continue;
        const double rate = network.rate(static_cast<std::int32_t>(i));
        EXPECT_TRUE(std::any_of(flows[i].path.begin(), flows[i].path.end(), [&](fabric::Channel c) {
          const auto at = static_cast<std::size_t>(c);
          return std::abs(used[at] - 7) < 1e-9 && rate >= fastest[at] - 1e-9;
        }));
      }
    }
  }
}

TEST(FairNetwork, AChannelOfLessCapacityLimitsASingleFlow) {
  FairNetwork network({10, 4, 10});
  const Path all{0, 1, 2}, first{0}, third{2};
  network.start(0, all, 8);
  network.start(1, first, 12);
  network.share(0);
  EXPECT_DOUBLE_EQ(network.rate(0), 4);
  EXPECT_DOUBLE_EQ(network.rate(1), 6);
  network.end(1);
  network.start(2, third, 1);
  network.share(1);
  EXPECT_DOUBLE_EQ(network.rate(0), 4);
  EXPECT_DOUBLE_EQ(network.rate(2), 6);
}

TEST(FairNetwork, RatesAreFairOnChannelsOfAnyCapacity) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SplitMix64 random(seed);
    const auto channels = static_cast<fabric::Channel>(1 + random.below(24));
    std::vector<double> capacities;
    for (fabric::Channel c = 0; c < channels; ++c) capacities.push_back(1.0 + double(random.below(5)));
    FairNetwork network(capacities);
    std::vector<naive::Flow> flows(24);
    for (naive::Flow& flow : flows) flow.over = true;
    for (int step = 0; step < 60; ++step) {
      const std::size_t i = random.below(flows.size());
      flows[i].over = !flows[i].over;
      if (flows[i].over) {
        network.end(static_cast<std::int32_t>(i));
      } else {
        flows[i].path = random_path(random, channels);
        network.start(static_cast<std::int32_t>(i), flows[i].path, 1e6);
      }
      network.share(step);
      naive::fill_each(flows, [&](fabric::Channel c) { return capacities[static_cast<std::size_t>(c)]; });
      for (std::size_t f = 0; f < flows.size(); ++f) {
        if (flows[f].over) continue;
        ASSERT_NEAR(network.rate(static_cast<std::int32_t>(f)), flows[f].rate, 1e-8)
            << "seed " << seed << " step " << step << " flow " << f;
      }
    }
  }
}

// An unsplit flow that is alone on its channels is limited by nothing, until one that is split makes it
// count.
TEST(FairNetwork, ASplitFlowMeetsOneThatWasAlone) {
  FairNetwork network(3, 12);
  const Path alone{0, 1}, both{1, 2};
  const double halves[] = {0.5, 0.5};
  network.start(0, alone, 100);
  network.share(0);
  EXPECT_DOUBLE_EQ(network.rate(0), 12);
  network.start(1, both, 100, halves);
  network.share(1);
  EXPECT_DOUBLE_EQ(network.rate(0), 8);
  EXPECT_DOUBLE_EQ(network.rate(1), 8);
  network.end(1);
  network.share(2);
  EXPECT_DOUBLE_EQ(network.rate(0), 12);
}

TEST(ChannelMembers, AreThoseWhosePathsCrossTheChannel) {
  SplitMix64 random(5);
  const fabric::Channel channels = 9;
  ChannelMembers members(channels);
  std::vector<Path> paths(40);  // empty: the flow is not there
  for (int step = 0; step < 2000; ++step) {
    const std::size_t i = random.below(paths.size());
    if (paths[i].empty()) {
      paths[i] = random_path(random, channels);
      members.add(static_cast<std::int32_t>(i), paths[i]);
    } else {
      members.remove(static_cast<std::int32_t>(i));
      paths[i].clear();
    }
    for (fabric::Channel c = 0; c < channels; ++c) {
      std::vector<std::int32_t> expected, found;
      for (std::size_t f = 0; f < paths.size(); ++f) {
        if (std::count(paths[f].begin(), paths[f].end(), c)) expected.push_back(static_cast<std::int32_t>(f));
      }
      for (const ChannelMembers::Member& member : members.members(c)) found.push_back(member.flow);
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << "step " << step << " channel " << c;
      ASSERT_EQ(members.count(c), static_cast<std::int32_t>(expected.size()));
    }
    for (std::size_t f = 0; f < paths.size(); ++f) {
      if (paths[f].empty()) continue;
      Path path;
      for (const auto& entry : members.path(static_cast<std::int32_t>(f))) path.push_back(entry.channel);
      ASSERT_EQ(path, paths[f]) << "step " << step << " flow " << f;
    }
  }
}

TEST(Levels, ComeInOrderThoseThatWentBackToo) {
  SplitMix64 random(4);
  Levels levels;
  for (int round = 0; round < 50; ++round) {
    std::vector<Levels::Level> expected;
    levels.clear();
    for (fabric::Channel c = 0; c < 60; ++c) {
      expected.push_back({static_cast<double>(random.below(9)) / 3, 59 - c});
      levels.add(expected.back());
    }
    levels.sort();
    while (!expected.empty()) {
      const auto first = std::min_element(expected.begin(), expected.end());
      ASSERT_EQ(levels.lowest(), first->share);
      const Levels::Level level = levels.pop();
      ASSERT_EQ(level.share, first->share);
      ASSERT_EQ(level.channel, first->channel);
      expected.erase(first);
      if (random.below(3) > 0) continue;
      expected.push_back({level.share + static_cast<double>(random.below(4)) / 3, level.channel});
      levels.put_back(expected.back());
    }
    ASSERT_TRUE(levels.empty());
    ASSERT_EQ(levels.lowest(), Levels::none);
  }
}

TEST(CompletionHeap, GivesFlowsInOrderWhileTheirTimesMove) {
  SplitMix64 random(3);
  CompletionHeap heap;
  std::vector<double> time(50, -1);
  for (int step = 0; step < 4000; ++step) {
    const std::size_t i = random.below(time.size());
    if (random.below(3) == 0) {
      time[i] = -1;
      heap.remove(static_cast<std::int32_t>(i));
    } else {
      time[i] = static_cast<double>(random.below(20));
      heap.set(static_cast<std::int32_t>(i), time[i]);
    }
    std::size_t first = time.size();
    for (std::size_t f = 0; f < time.size(); ++f) {
      if (time[f] >= 0 && (first == time.size() || time[f] < time[first])) first = f;
    }
    ASSERT_EQ(heap.empty(), first == time.size());
    if (heap.empty()) continue;
    ASSERT_EQ(heap.top().flow, static_cast<std::int32_t>(first));
    ASSERT_EQ(heap.top().time, time[first]);
  }
}

}  // namespace
}  // namespace sortlast::simulate
