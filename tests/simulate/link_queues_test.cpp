// Links that serve messages in order: cases counted by hand, a naive reference, and what no run can beat.
#include "sortlast/simulate/flow/link_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/random.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

using Path = std::vector<fabric::Channel>;

constexpr double B = 1e6;  // so that a message of 1 MB keeps a link busy for a second

fabric::Routes routed(const std::string& name, const std::string& engine = "minhop") {
  return fabric::route(std::make_shared<fabric::Topology>(fabric::make_topology(name)), engine);
}

FlowOptions ordered(bool host_links = true) {
  return {.link_bytes_per_second = B,
          .sends_at_once = 0,
          .message_log = true,
          .host_links = host_links,
          .ordered_links = true};
}

FlowResult run_on(const fabric::Routes& routes, const Traffic& traffic, const FlowOptions& options) {
  return simulate_flows(routes, traffic, consecutive_hosts(*routes.topology, traffic.tasks), options);
}

// Of some messages that all go at once: when each of them ends.
std::vector<double> ends(const fabric::Routes& routes, const std::vector<fabric::Flow>& flows,
                         const FlowOptions& options) {
  Programs programs("messages", routes.topology->hosts());
  for (const fabric::Flow& flow : flows) programs.send(flow.source, flow.destination, flow.bytes);
  const FlowResult run = run_on(routes, std::move(programs).finish(), options);
  std::vector<double> found(flows.size());
  for (const FlowRecord& record : run.log) found[static_cast<std::size_t>(record.message)] = record.end;
  return found;
}

constexpr std::int64_t MB = 1'000'000;

TEST(LinkQueues, OneMessageTakesItsBytesAtTheLinkRateHoweverLongItsPath) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,3");
  EXPECT_DOUBLE_EQ(ends(routes, {{3, 60, MB}}, ordered())[0], 1);
  EXPECT_DOUBLE_EQ(ends(routes, {{3, 2, MB}}, ordered())[0], 1);
}

TEST(LinkQueues, OneLinkServesOneMessageAfterTheOther) {
  const fabric::Routes routes = routed("crossbar:2");
  EXPECT_EQ(ends(routes, {{0, 1, MB}, {0, 1, 2 * MB}, {0, 1, MB}}, ordered()),
            (std::vector<double>{1, 3, 4}));
}

TEST(LinkQueues, TheFirstOfTwoSendersIsServedFirst) {
  const fabric::Routes routes = routed("crossbar:3");
  EXPECT_EQ(ends(routes, {{0, 2, MB}, {1, 2, MB}}, ordered()), (std::vector<double>{1, 2}));
  FlowOptions fair = ordered();
  fair.ordered_links = false;
  EXPECT_EQ(ends(routes, {{0, 2, MB}, {1, 2, MB}}, fair), (std::vector<double>{2, 2}));
}

// 0 sends 3 MB to 1 and then 1 MB to 2, which takes in 2 MB of 3 meanwhile: what waits keeps no other back.
TEST(LinkQueues, AMessageThatWaitsLeavesTheLinksBehindToOthers) {
  const fabric::Routes routes = routed("crossbar:4");
  EXPECT_EQ(ends(routes, {{0, 1, 3 * MB}, {0, 2, MB}, {3, 2, 2 * MB}}, ordered()),
            (std::vector<double>{3, 4, 2}));
}

// A ring of five nodes that are their own routers: 0 -> 1, 0 -> 2 by way of 1, and 1 -> 2.
TEST(LinkQueues, AMessageCutsThroughANodeBehindWhatTheNodeSent) {
  const fabric::Routes routes = routed("torus:5", "dor");
  EXPECT_EQ(ends(routes, {{0, 1, MB}, {0, 2, MB}, {1, 2, MB}}, ordered(false)),
            (std::vector<double>{1, 2, 1}));
  EXPECT_EQ(ends(routes, {{0, 2, MB}, {1, 2, 3 * MB}}, ordered(false)), (std::vector<double>{1, 4}));
}

// Node 0 has two messages for 1, and 4 has one for 1 by way of 0, which comes to the link at the same time.
TEST(LinkQueues, WhatComesAtOneTimeGoesInTurn) {
  const fabric::Routes routes = routed("torus:5", "dor");
  EXPECT_EQ(ends(routes, {{0, 1, MB}, {0, 1, MB}, {4, 1, MB}}, ordered(false)),
            (std::vector<double>{1, 3, 2}));
}

TEST(LinkQueues, LaterMessagesAreServedLater) {
  const Path path{0, 1};
  LinkQueues network(2, 1, 1e-9);
  network.start(0, path, 4);
  network.share(0);
  EXPECT_EQ(network.next_end(), 4);
  const Path second{1};
  network.start(1, second, 2);
  network.share(1);
  EXPECT_EQ(network.next_flow(), 0);
  network.end(0);
  EXPECT_EQ(network.next_flow(), 1);
  EXPECT_EQ(network.next_end(), 6);
  network.end(1);
  EXPECT_EQ(network.next_event(), LinkQueues::never);
  EXPECT_EQ(network.flows(), 0);
}

// Stages of a shift of three ranks at once: blending of the first message goes on while the second travels.
// Fair shares end both at the same time.
TEST(LinkQueues, BlendingOverlapsTheNextMessage) {
  const fabric::Routes routes = routed("crossbar:3");
  const Schedule schedule =
      make_schedule("shift", {.p = 3, .n = 187'500, .commutes = true});  // messages of 1 MB
  const fabric::Placement all{0, 1, 2};
  const CompositingOptions frame{.blend_bytes_per_second = 2e6, .window = 0};
  const CompositingResult found = simulate(schedule, routes, all, frame, ordered());
  EXPECT_DOUBLE_EQ(found.timing.total, 2.5);
  EXPECT_NEAR(found.hidden, 0.5, 1e-12);
  EXPECT_NEAR(found.flow.tasks[1].hidden, 0.5, 1e-12);
  FlowOptions fair = ordered();
  fair.ordered_links = false;
  const CompositingResult shared = simulate(schedule, routes, all, frame, fair);
  EXPECT_DOUBLE_EQ(shared.timing.total, 3);
  EXPECT_NEAR(shared.hidden, 0, 1e-12);
}

struct Served {
  double begin = 0, end = 0;
};

// All messages at time 0, in the order of their first channels' queues: the head that comes first somewhere
// is looked for among all, again and again. By channel: what it served and when.
std::map<fabric::Channel, std::vector<Served>> serve_all(
    const std::vector<std::vector<fabric::Channel>>& paths, const std::vector<double>& seconds) {
  std::map<fabric::Channel, std::vector<Served>> served;
  std::map<fabric::Channel, int> begun;
  struct Head {
    double time;
    int turn;
    std::size_t message, hop;
  };
  std::vector<Head> heads;
  for (std::size_t m = 0; m < paths.size(); ++m) heads.push_back({0, begun[paths[m][0]]++, m, 0});
  while (!heads.empty()) {
    const auto next = std::min_element(heads.begin(), heads.end(), [](const Head& a, const Head& b) {
      return std::tie(a.time, a.turn, a.message) < std::tie(b.time, b.turn, b.message);
    });
    std::vector<Served>& queue = served[paths[next->message][next->hop]];
    const double begin = queue.empty() ? next->time : std::max(next->time, queue.back().end);
    queue.push_back({begin, begin + seconds[next->message]});
    next->time = begin;
    if (++next->hop == paths[next->message].size()) heads.erase(next);
  }
  return served;
}

TEST(LinkQueues, RandomMessagesEndWhenTheReferenceSaysAndBeatNoLink) {
  for (const char* const name : {"crossbar:9", "k-ary-n-tree:3,2", "torus:3,3", "mesh:2,4"}) {
    const fabric::Routes routes = routed(name);
    const std::int32_t p = routes.topology->hosts();
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SplitMix64 random(seed);
      Traffic traffic = uniform(p, 1, 4, seed);
      const std::vector<std::int32_t> source = sources(traffic);
      std::vector<std::vector<fabric::Channel>> paths;
      std::vector<double> seconds;
      for (std::size_t m = 0; m < source.size(); ++m) {
        traffic.size[m] = static_cast<std::int64_t>(1024 * (1 + random.below(50)));
        paths.push_back(fabric::walk(routes, source[m], traffic.destination[m]));
        seconds.push_back(static_cast<double>(traffic.size[m]) / 1024);
      }
      FlowOptions options = ordered();
      options.link_bytes_per_second = 1024;  // all times are whole seconds
      const FlowResult run = run_on(routes, traffic, options);

      // Every message arrives, in the order of every last link, when the reference says.
      std::map<fabric::Channel, std::vector<double>> found;
      for (const FlowRecord& record : run.log) {
        found[paths[static_cast<std::size_t>(record.message)].back()].push_back(record.end);
      }
      const auto expected = serve_all(paths, seconds);
      ASSERT_EQ(run.log.size(), source.size());
      for (const auto& [channel, times] : found) {
        ASSERT_EQ(times.size(), expected.at(channel).size());
        for (std::size_t i = 0; i < times.size(); ++i) {
          EXPECT_DOUBLE_EQ(times[i], expected.at(channel)[i].end) << name << " seed " << seed;
        }
      }

      // Its links carry its bytes, one message at a time.
      std::int64_t bytes = 0, hops = 0;
      for (std::size_t m = 0; m < paths.size(); ++m) {
        bytes += traffic.size[m];
        hops += traffic.size[m] * static_cast<std::int64_t>(paths[m].size());
      }
      EXPECT_EQ(run.bytes, bytes);
      for (const std::int64_t carried : run.channel_bytes) {
        hops -= carried;
        EXPECT_GE(run.seconds, static_cast<double>(carried) / 1024 * (1 - 1e-9));
      }
      EXPECT_EQ(hops, 0);
    }
  }
}

// Those that take the same way arrive in the order in which they went, and no nearer than a link lets them.
TEST(LinkQueues, MessagesOfAPairStayInOrder) {
  const fabric::Routes routes = routed("torus:3,3", "dor");
  const Traffic traffic = uniform(9, 64'000, 40, 7);
  const std::vector<std::int32_t> source = sources(traffic);
  for (const std::int32_t at_once : {0, 1, 3}) {
    FlowOptions options = ordered(false);
    options.sends_at_once = at_once;
    const FlowResult run = run_on(routes, traffic, options);
    std::map<std::pair<std::int32_t, std::int32_t>, FlowRecord> last;
    for (const FlowRecord& record : run.log) {
      const auto m = static_cast<std::size_t>(record.message);
      const auto [entry, first] = last.try_emplace({source[m], traffic.destination[m]}, record);
      if (first) continue;
      EXPECT_GT(record.message, entry->second.message);
      EXPECT_GE(record.end, entry->second.end + 64'000 / B * (1 - 1e-9));
      entry->second = record;
    }
  }
}

// Where no messages meet, order and fair shares are the same.
TEST(LinkQueues, AgreeWithFairSharesWithoutContention) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,2", "d-mod-k");
  FlowOptions options = ordered();
  options.sends_at_once = 1;
  const Traffic traffic = shift(16, 100'000, 1, 16);
  const double in_order = run_on(routes, traffic, options).seconds;
  options.ordered_links = false;
  EXPECT_NEAR(in_order, run_on(routes, traffic, options).seconds, 1e-9);
}

TEST(LinkQueues, EqualArgumentsGiveEqualRuns) {
  const fabric::Routes routes = routed("thin-tree:4,2,3");
  const Traffic traffic = uniform(64, 100'000, 8, 5);
  const FlowResult a = run_on(routes, traffic, ordered()), b = run_on(routes, traffic, ordered());
  ASSERT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < a.log.size(); ++i) {
    EXPECT_EQ(a.log[i].message, b.log[i].message);
    EXPECT_EQ(a.log[i].end, b.log[i].end);
  }
}

}  // namespace
}  // namespace sortlast::simulate
