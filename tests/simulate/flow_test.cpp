// The flow simulator: analytic cases, bounds, the naive reference, disciplines, what it reports and refuses.
#include "sortlast/simulate/flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "simulate/flow_reference.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/random.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

constexpr double B = 1.25e9;

fabric::Routes routed(const std::string& name, const std::string& engine = "minhop") {
  return fabric::route(std::make_shared<fabric::Topology>(fabric::make_topology(name)), engine);
}

FlowResult run_on(const fabric::Routes& routes, const Traffic& traffic, const FlowOptions& options = {}) {
  return simulate_flows(routes, traffic, consecutive_hosts(*routes.topology, traffic.tasks), options);
}

Traffic messages(std::int32_t tasks, const std::vector<fabric::Flow>& flows) {
  Programs programs("messages", tasks);
  for (const fabric::Flow& flow : flows) programs.send(flow.source, flow.destination, flow.bytes);
  return std::move(programs).finish();
}

double seconds_of(std::int64_t bytes) { return static_cast<double>(bytes) / B; }

TEST(Flow, OneMessageTakesItsCostAndItsBytesAtTheLinkRate) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,3");
  const FlowResult run = run_on(routes, messages(64, {{3, 60, 1'000'000}}), {.message_seconds = 1e-4});
  EXPECT_DOUBLE_EQ(run.seconds, 1e-4 + seconds_of(1'000'000));
  EXPECT_EQ(run.messages, 1);
  EXPECT_EQ(run.bytes, 1'000'000);
  EXPECT_EQ(std::accumulate(run.channel_bytes.begin(), run.channel_bytes.end(), std::int64_t{0}), 6'000'000);
  EXPECT_DOUBLE_EQ(run.tasks[3].end, run.seconds);
  EXPECT_DOUBLE_EQ(run.tasks[60].end, run.seconds);
  EXPECT_EQ(run.tasks[0].end, 0);
}

TEST(Flow, WhatOthersTakeOfTheLinksIsMissing) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,3");
  const Traffic one = messages(64, {{3, 60, 1'000'000}});
  const FlowResult alone = run_on(routes, one);
  for (const bool ordered : {false, true}) {
    const FlowResult run = run_on(routes, one, {.ordered_links = ordered, .background = {0.5}});
    EXPECT_EQ(run.seconds, 2 * alone.seconds);
    EXPECT_EQ(run.channel_bytes, alone.channel_bytes);
  }

  // A share of one link on the path is one of the whole path; those of other links do not matter.
  std::vector<double> shares(static_cast<std::size_t>(routes.topology->channels()), 0.75);
  for (std::size_t c = 0; c < shares.size(); ++c) {
    if (alone.channel_bytes[c] > 0) shares[c] = 0;
  }
  EXPECT_EQ(run_on(routes, one, {.background = shares}).seconds, alone.seconds);
  shares[3] = 0.5;
  EXPECT_EQ(run_on(routes, one, {.background = shares}).seconds, 2 * alone.seconds);
  EXPECT_EQ(run_on(routes, one, {.background = std::vector<double>(shares.size(), 0)}).seconds,
            alone.seconds);

  EXPECT_THROW(run_on(routes, one, {.background = {1}}), ArgumentError);
  EXPECT_THROW(run_on(routes, one, {.background = {-0.1}}), ArgumentError);
  EXPECT_THROW(run_on(routes, one, {.background = {0, 0}}), ArgumentError);
  EXPECT_THROW(run_on(routes, one, {.ordered_links = true, .background = shares}), ArgumentError);
}

TEST(Flow, WithoutHostLinksANodeUsesAllLinksOfItsSwitchAtOnce) {
  const fabric::Routes routes = routed("torus:4,4,2", "dor");
  const std::vector<fabric::Flow> flows = {{0, 1, 1'000'000}, {0, 4, 1'000'000}, {0, 16, 1'000'000}};
  FlowOptions options{.sends_at_once = 0};
  EXPECT_DOUBLE_EQ(run_on(routes, messages(32, flows), options).seconds, 3 * seconds_of(1'000'000));
  options.host_links = false;
  const FlowResult run = run_on(routes, messages(32, flows), options);
  EXPECT_DOUBLE_EQ(run.seconds, seconds_of(1'000'000));
  EXPECT_EQ(std::accumulate(run.channel_bytes.begin(), run.channel_bytes.end(), std::int64_t{0}), 3'000'000);
}

TEST(Flow, WithoutHostLinksHostsOfOneSwitchExchangeAtTheCostOfAMessage) {
  const FlowResult run = run_on(routed("crossbar:2"), messages(2, {{0, 1, 1'000'000}}),
                                {.message_seconds = 1e-4, .host_links = false});
  EXPECT_DOUBLE_EQ(run.seconds, 1e-4);
  EXPECT_EQ(run.messages, 1);
}

TEST(Flow, TwoFlowsThroughOneLinkHalveTheBandwidth) {
  const fabric::Routes routes = routed("crossbar:4");
  const FlowResult run =
      run_on(routes, messages(4, {{0, 3, 1'000'000}, {1, 3, 1'000'000}}), {.message_log = true});
  EXPECT_DOUBLE_EQ(run.seconds, 2 * seconds_of(1'000'000));
  const std::vector<double> matrix =
      bandwidth_matrix(messages(4, {{0, 3, 1'000'000}, {1, 3, 1'000'000}}), run);
  EXPECT_DOUBLE_EQ(matrix[0 * 4 + 3], B / 2);
  EXPECT_DOUBLE_EQ(matrix[1 * 4 + 3], B / 2);
  EXPECT_EQ(std::count(matrix.begin(), matrix.end(), 0), 14);
}

// 0 sends to 1 and 2 at once, and 3 to 2: the flows into 2 have half each, and so has the other of 0.
TEST(Flow, ShortMessagesLeaveTheirShareToLongOnes) {
  const fabric::Routes routes = routed("crossbar:4");
  const Traffic traffic = messages(4, {{0, 1, 3'000'000}, {0, 2, 1'000'000}, {3, 2, 2'000'000}});
  const FlowResult run = run_on(routes, traffic, {.sends_at_once = 0, .message_log = true});
  ASSERT_EQ(run.log.size(), 3u);
  EXPECT_EQ(run.log[0].message, 1);
  EXPECT_DOUBLE_EQ(run.log[0].end, 2 * seconds_of(1'000'000));
  EXPECT_DOUBLE_EQ(run.log[1].end, 3 * seconds_of(1'000'000));  // 1 MB at half, 1 MB at the full rate
  EXPECT_DOUBLE_EQ(run.log[2].end, 4 * seconds_of(1'000'000));
}

TEST(Flow, ASenderServesItsMessagesOneByOneUnlessTold) {
  const fabric::Routes routes = routed("crossbar:4");
  const Traffic traffic = messages(4, {{0, 1, 1'000'000}, {0, 2, 2'000'000}, {0, 3, 3'000'000}});
  const auto ends = [&](std::int32_t at_once) {
    std::vector<double> result;
    for (const FlowRecord& record :
         run_on(routes, traffic, {.sends_at_once = at_once, .message_log = true}).log) {
      result.push_back(record.end / seconds_of(1'000'000));
    }
    return result;
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
  };
  expect(ends(1), {1, 3, 6});
  expect(ends(2), {2, 4, 6});
  expect(ends(0), {3, 5, 6});
}

// 0, 1 and 2 send to 3, which takes in one, two or any number of messages at once.
TEST(Flow, AReceiverTakesInAsManyMessagesAsItIsTold) {
  const fabric::Routes routes = routed("crossbar:4");
  const Traffic traffic = messages(4, {{0, 3, 1'000'000}, {1, 3, 1'000'000}, {2, 3, 2'000'000}});
  const auto ends = [&](std::int32_t at_once) {
    std::vector<double> result;
    for (const FlowRecord& record :
         run_on(routes, traffic, {.receives_at_once = at_once, .message_log = true}).log) {
      result.push_back(record.end / seconds_of(1'000'000));
    }
    return result;
  };
  const auto expect = [](const std::vector<double>& found, const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9);
  };
  expect(ends(1), {1, 2, 4});
  expect(ends(2), {2, 2, 4});
  expect(ends(0), {3, 3, 4});
}

// A message that waits for its receiver is one of those that its sender may have under way.
TEST(Flow, WhatWaitsForAReceiverKeepsItsSendersPlace) {
  const fabric::Routes routes = routed("crossbar:4");
  const Traffic traffic = messages(4, {{0, 2, 2'000'000}, {1, 2, 1'000'000}, {1, 3, 1'000'000}});
  EXPECT_NEAR(run_on(routes, traffic, {.receives_at_once = 1}).tasks[3].end, seconds_of(4'000'000), 1e-12);
  EXPECT_NEAR(run_on(routes, traffic, {.sends_at_once = 2, .receives_at_once = 1}).tasks[3].end,
              seconds_of(1'000'000), 1e-12);
}

TEST(Flow, ShiftInRoutingOrderTakesBytesByTheLinkRate) {
  const fabric::Routes routes = routed("k-ary-n-tree:12,2", "d-mod-k");
  const std::int64_t bytes = std::int64_t{4096} * 2048 / 144 * 16;
  const FlowResult run = run_on(routes, shift(144, bytes, 1, 144));
  EXPECT_NEAR(run.seconds, 143 * seconds_of(bytes), 1e-12);
  EXPECT_EQ(run.messages, 144 * 143);
  EXPECT_EQ(run.bytes, std::int64_t{144} * 143 * bytes);
  const FlowResult costly = run_on(routes, shift(144, bytes, 1, 144), {.message_seconds = 113e-6});
  EXPECT_NEAR(costly.seconds, 143 * (seconds_of(bytes) + 113e-6), 1e-12);
}

// Where no flows meet, contention's model and this one are the same.
TEST(Flow, AgreesWithPatternTimeWithoutContention) {
  for (const char* const name : {"k-ary-n-tree:4,3", "k-ary-n-tree:12,2", "pgft:8,4;1,4;1,2"}) {
    const fabric::Routes routes = routed(name, "d-mod-k");
    const std::int32_t p = routes.topology->hosts();
    const fabric::Placement all = consecutive_hosts(*routes.topology, p);
    const auto pattern = fabric::shift_pattern(p, 100'000);
    ASSERT_TRUE(fabric::contention(routes, *pattern, all).contention_free()) << name;
    const fabric::PatternTime time = fabric::pattern_time(routes, *pattern, all, B, 5e-6);
    const FlowResult run = simulate_flows(routes, shift(p, 100'000, 1, p), all, {.message_seconds = 5e-6});
    EXPECT_NEAR(run.seconds, time.synchronised, 1e-9 * time.synchronised) << name;
    EXPECT_NEAR(run.seconds, time.free_running, 1e-9 * time.free_running) << name;
  }
}

// All flows at time 0, of different sizes, against progressive filling by its definition.
TEST(Flow, RandomFlowsEndWhenTheReferenceSays) {
  for (const char* const name :
       {"crossbar:9", "k-ary-n-tree:3,2", "thin-tree:3,1,3", "torus:3,3", "mesh:2,4"}) {
    const fabric::Routes routes = routed(name);
    const std::int32_t p = routes.topology->hosts();
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SplitMix64 random(seed);
      Traffic traffic = uniform(p, 1, 4, seed);
      std::vector<naive::Flow> flows;
      const std::vector<std::int32_t> source = sources(traffic);
      for (std::size_t m = 0; m < source.size(); ++m) {
        traffic.size[m] = static_cast<std::int64_t>(1000 * (1 + random.below(50)));
        flows.push_back(
            {fabric::walk(routes, source[m], traffic.destination[m]), static_cast<double>(traffic.size[m])});
      }
      const FlowResult run = run_on(routes, traffic, {.sends_at_once = 0, .message_log = true});
      const std::vector<double> expected = naive::ends(flows, B);
      ASSERT_EQ(run.log.size(), expected.size());
      for (const FlowRecord& record : run.log) {
        const double end = expected[static_cast<std::size_t>(record.message)];
        EXPECT_NEAR(record.end, end, 1e-7 * end) << name << " seed " << seed << " message " << record.message;
      }
    }
  }
}

// No run beats what the hosts can inject and take in, or what a cut of the thin tree lets through.
TEST(Flow, NoRunBeatsInjectionAndBisection) {
  const fabric::Routes routes = routed("thin-tree:4,2,3");  // 64 hosts; a root subtree of 16 has 4 up-links
  for (const std::int32_t at_once : {0, 1, 3}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Traffic traffic = uniform(64, 250'000, 6, seed);
      const FlowResult run = run_on(routes, traffic, {.sends_at_once = at_once});
      double bound = 0;
      for (const TaskResult& task : run.tasks) {
        bound = std::max({bound, seconds_of(task.bytes_sent), seconds_of(task.bytes_received)});
      }
      const std::vector<std::int32_t> source = sources(traffic);
      std::vector<std::int64_t> leaving(4, 0);
      for (std::size_t m = 0; m < source.size(); ++m) {
        const auto from = static_cast<std::size_t>(source[m] / 16);
        if (source[m] / 16 != traffic.destination[m] / 16) leaving[from] += traffic.size[m];
      }
      for (const std::int64_t bytes : leaving) bound = std::max(bound, seconds_of(bytes) / 4);
      for (const std::int64_t bytes : run.channel_bytes) bound = std::max(bound, seconds_of(bytes));
      EXPECT_GE(run.seconds, bound * (1 - 1e-9));
      EXPECT_EQ(run.bytes, 64 * 6 * 250'000);
    }
  }
}

TEST(Flow, ChannelsCarryTheBytesOfTheirMessages) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,2");
  const Traffic traffic = uniform(16, 999, 5, 2);
  const FlowResult run = run_on(routes, traffic, {.sends_at_once = 0});
  std::vector<std::int64_t> expected(run.channel_bytes.size(), 0);
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::size_t m = 0; m < source.size(); ++m) {
    for (const fabric::Channel c : fabric::walk(routes, source[m], traffic.destination[m])) {
      expected[static_cast<std::size_t>(c)] += 999;
    }
  }
  EXPECT_EQ(run.channel_bytes, expected);
}

TEST(Flow, EqualArgumentsGiveEqualRuns) {
  const fabric::Routes routes = routed("thin-tree:4,2,3");
  const Traffic traffic = uniform(64, 100'000, 8, 5);
  const FlowOptions options{.message_seconds = 1e-6, .sends_at_once = 2, .message_log = true};
  const FlowResult a = run_on(routes, traffic, options), b = run_on(routes, traffic, options);
  EXPECT_EQ(a.seconds, b.seconds);
  EXPECT_EQ(a.events, b.events);
  EXPECT_EQ(a.channel_bytes, b.channel_bytes);
  ASSERT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < a.log.size(); ++i) {
    EXPECT_EQ(a.log[i].message, b.log[i].message);
    EXPECT_EQ(a.log[i].end, b.log[i].end);
  }
}

// On long messages packets add what fills the pipeline and what waits behind others in the switches' queues;
// they save what their senders are ahead, who go on when a message's last packet has entered the queue.
TEST(Flow, IsNearThePacketSimulatorOnLongMessages) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,2", "d-mod-k");
  const fabric::Placement all = consecutive_hosts(*routes.topology, 16);
  for (const Traffic& traffic : {shift(16, 64'000, 1, 16), pattern("BU", 16, 64'000),
                                 pattern("BT", 16, 64'000), pattern("2M", 16, 64'000)}) {
    const double flow = simulate_flows(routes, traffic, all).seconds;
    const double packet = simulate_packets(routes, traffic, all).seconds;
    EXPECT_LT(flow, packet * 1.02) << traffic.name;
    EXPECT_GT(flow, packet * 0.9) << traffic.name;
  }
}

// Rounds of a ring: each waits for what the round before brought.
TEST(Flow, RepetitionsWaitForWhatTheyNeed) {
  Programs programs("ring", 4);
  for (std::int32_t i = 0; i < 4; ++i) {
    programs.send(i, (i + 1) % 4, 1'000'000);
    programs.receive(i, (i + 3) % 4);
  }
  const Traffic traffic = std::move(programs).finish(5);
  const FlowResult run = run_on(routed("crossbar:4"), traffic, {.message_log = true});
  EXPECT_EQ(run.messages, 20);
  EXPECT_NEAR(run.seconds, 5 * seconds_of(1'000'000), 1e-12);
  std::vector<std::int64_t> iterations;
  for (const FlowRecord& record : run.log) {
    if (record.message == 2) iterations.push_back(record.iteration);
  }
  EXPECT_EQ(iterations, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(Flow, ComputationsTakeTheirTimeAndHideBehindMessages) {
  // Not in order: 0 computes 1 ms while it sends 1.25 MB (1 ms), and then 1 ms more.
  Traffic traffic;
  traffic.name = "hidden";
  traffic.tasks = 2;
  traffic.first = {0, 3, 3};
  traffic.destination = {1, 0, 0};
  traffic.size = {1'250'000, 1'000'000, 1'000'000};
  traffic.first_cause = {0, 0, 0, 1};
  traffic.causes = {1};
  traffic.in_order = false;
  const FlowResult run = run_on(routed("crossbar:2"), traffic);
  EXPECT_NEAR(run.seconds, 2e-3, 1e-12);
  EXPECT_NEAR(run.tasks[0].compute, 2e-3, 1e-12);
  EXPECT_NEAR(run.tasks[0].hidden, 1e-3, 1e-12);
  EXPECT_NEAR(run.tasks[1].end, 1e-3, 1e-12);
  traffic.in_order = true;
  EXPECT_NEAR(run_on(routed("crossbar:2"), traffic).seconds, 3e-3, 1e-12);
}

TEST(Flow, MessagesOfNoBytesAndWithinAHostCostTheMessageAlone) {
  const fabric::Routes routes = routed("crossbar:4");
  EXPECT_DOUBLE_EQ(run_on(routes, messages(2, {{0, 1, 0}}), {.message_seconds = 3e-6}).seconds, 3e-6);
  EXPECT_EQ(run_on(routes, messages(2, {{0, 1, 0}})).seconds, 0);
  const FlowResult shared =
      simulate_flows(routes, messages(2, {{0, 1, 1'000'000}}), {1, 1}, {.message_seconds = 3e-6});
  EXPECT_DOUBLE_EQ(shared.seconds, 3e-6);
  EXPECT_EQ(shared.bytes, 1'000'000);
}

TEST(Flow, CoarsePrecisionStaysNear) {
  const fabric::Routes routes = routed("thin-tree:4,2,3");
  const Traffic traffic = uniform(64, 1'000'000, 8, 7);
  const FlowResult fine = run_on(routes, traffic, {.sends_at_once = 0});
  const FlowResult coarse = run_on(routes, traffic, {.sends_at_once = 0, .precision = 1e-2});
  EXPECT_LT(coarse.events, fine.events);
  EXPECT_NEAR(coarse.seconds, fine.seconds, 0.02 * fine.seconds);
}

TEST(Flow, ProgressIsToldAndCancels) {
  const fabric::Routes routes = routed("crossbar:4");
  FlowOptions options;
  std::vector<double> parts;
  options.progress = [&](double part) {
    parts.push_back(part);
    return true;
  };
  run_on(routes, shift(4, 1000, 1, 4), options);
  EXPECT_FALSE(parts.empty());
  options.progress = [](double) { return false; };
  EXPECT_THROW(run_on(routes, shift(4, 1000, 1, 4), options), Error);
}

TEST(Flow, MessagesThatWaitForEachOtherAreNamed) {
  Traffic traffic;
  traffic.name = "circle";
  traffic.tasks = 2;
  traffic.first = {0, 1, 2};
  traffic.destination = {1, 0};
  traffic.size = {10, 10};
  traffic.first_cause = {0, 1, 2};
  traffic.causes = {1, 0};
  for (const bool in_order : {true, false}) {
    traffic.in_order = in_order;
    try {
      run_on(routed("crossbar:2"), traffic);
      FAIL() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "traffic 'circle' deadlocks: task 0 waits for message 1 of task 1; task 1 waits for "
                   "message 0 of task 0");
    }
  }
}

TEST(Flow, RefusesWhatDoesNotFit) {
  const fabric::Routes routes = routed("crossbar:4");
  const Traffic traffic = shift(4, 1000, 1, 4);
  const fabric::Placement all{0, 1, 2, 3};
  EXPECT_THROW(simulate_flows(routes, traffic, {0, 1, 2}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, {0, 1, 2, 4}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, {0, 1, 2, -1}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, all, {.link_bytes_per_second = 0}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, all, {.message_seconds = -1}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, all, {.sends_at_once = -1}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, all, {.receives_at_once = -1}), ArgumentError);
  EXPECT_THROW(simulate_flows(routes, traffic, all, {.precision = 0.5}), ArgumentError);
  EXPECT_THROW(bandwidth_matrix(traffic, simulate_flows(routes, traffic, all)), ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
