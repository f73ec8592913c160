// Jobs joined into one traffic: what each does alone it does beside the others, on links of its own to the
// bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

fabric::Routes routed(const std::string& name, const std::string& engine) {
  return fabric::route(std::make_shared<fabric::Topology>(fabric::make_topology(name)), engine);
}

fabric::Placement hosts_from(std::int32_t first, std::int32_t count) {
  fabric::Placement hosts(static_cast<std::size_t>(count));
  std::iota(hosts.begin(), hosts.end(), first);
  return hosts;
}

Traffic frame(std::int32_t p) {
  return schedule_traffic(make_schedule("radix-k:4,4", {.p = p, .n = 64'000}), 16);
}

// Start and end of the messages of one job, in the order in which they ended.
template <class Log>
auto times_of(const Log& log, const Joined& joined, std::int32_t job) {
  std::vector<std::pair<decltype(log[0].start), decltype(log[0].end)>> times;
  for (const auto& record : log) {
    if (joined.job[static_cast<std::size_t>(record.message)] == job)
      times.push_back({record.start, record.end});
  }
  return times;
}

template <class Log>
auto times(const Log& log) {
  std::vector<std::pair<decltype(log[0].start), decltype(log[0].end)>> made;
  for (const auto& record : log) made.push_back({record.start, record.end});
  return made;
}

// Hosts of two leaf switches each: no link is shared.
TEST(Join, FlowsOfJobsOnDisjointLinksTakeTheirTimesToTheBit) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,3", "d-mod-k");
  const std::vector<JobTraffic> jobs = {{frame(16), hosts_from(0, 16)},
                                        {pattern("WF", 16, 3000), hosts_from(16, 16)},
                                        {shift(16, 70'001, 1, 16), hosts_from(32, 16)}};
  FlowOptions options{.message_seconds = 1e-6, .precision = 0, .message_log = true};
  for (const bool share : {false, true}) {
    const Joined joined = join(jobs, share);
    const FlowResult run = simulate_flows(routes, joined.traffic, joined.placement, options);
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      const FlowResult alone = simulate_flows(routes, jobs[j].traffic, jobs[j].hosts, options);
      EXPECT_EQ(times_of(run.log, joined, static_cast<std::int32_t>(j)), times(alone.log)) << "job " << j;
      for (std::size_t t = 0; t < alone.tasks.size(); ++t) {
        const auto task = static_cast<std::size_t>(joined.tasks[j][t]);
        EXPECT_EQ(run.tasks[task].end, alone.tasks[t].end) << "job " << j << " task " << t;
        EXPECT_EQ(run.tasks[task].bytes_sent, alone.tasks[t].bytes_sent);
      }
    }
  }
}

TEST(Join, PacketsOfJobsOnDisjointLinksTakeTheirCyclesToTheBit) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,3", "d-mod-k");
  const std::vector<JobTraffic> jobs = {{frame(16), hosts_from(0, 16)},
                                        {pattern("WF", 16, 3000), hosts_from(16, 16)}};
  // Without anything that is drawn at random, of which jobs would take each other's numbers.
  PacketOptions options{.arbitration = Arbitration::round_robin, .message_log = true};
  const Joined joined = join(jobs);
  const PacketResult run = simulate_packets(routes, joined.traffic, joined.placement, options);
  std::int64_t hops = 0;
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const PacketResult alone = simulate_packets(routes, jobs[j].traffic, jobs[j].hosts, options);
    auto beside = times_of(run.log, joined, static_cast<std::int32_t>(j)), by_itself = times(alone.log);
    std::sort(beside.begin(), beside.end());  // a log names those that end together by their numbers
    std::sort(by_itself.begin(), by_itself.end());
    EXPECT_EQ(beside, by_itself) << "job " << j;
    hops += alone.packet_hops;
  }
  EXPECT_EQ(run.packet_hops, hops);
}

TEST(Join, JobsInOrderStayAsTheyAre) {
  const Traffic one = pattern("WF", 16, 1000), other = pattern("WF", 25, 1000);
  ASSERT_GT(one.repeats, 1);
  const Joined same = join({{one, hosts_from(0, 16)}, {other, hosts_from(16, 25)}});
  EXPECT_TRUE(same.traffic.in_order);
  EXPECT_EQ(same.traffic.repeats, one.repeats);
  EXPECT_EQ(same.traffic.messages(), one.messages() + other.messages());
  const Joined written = join({{one, hosts_from(0, 16)}, {pattern("2M", 16, 9), hosts_from(16, 16)}});
  EXPECT_TRUE(written.traffic.in_order);
  EXPECT_EQ(written.traffic.repeats, 1);
  const TrafficTotals both = totals(written.traffic), first = totals(one),
                      second = totals(pattern("2M", 16, 9));
  EXPECT_EQ(both.messages, first.messages + second.messages);
  EXPECT_EQ(both.bytes, first.bytes + second.bytes);
}

TEST(Join, AJobAloneIsItself) {
  for (const Traffic& traffic : {frame(16), shift(9, 100, 1, 5)}) {
    const Joined joined = join({{traffic, hosts_from(0, traffic.tasks)}});
    EXPECT_EQ(joined.traffic, traffic);
    EXPECT_EQ(joined.placement, hosts_from(0, traffic.tasks));
  }
}

TEST(Join, JobsOnTheSameHostsShareTheirLinks) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,1", "d-mod-k");
  const Traffic traffic = shift(4, 1'250'000, 1, 2);
  const fabric::Placement hosts = hosts_from(0, 4);
  const double alone = simulate_flows(routes, traffic, hosts).seconds;
  EXPECT_DOUBLE_EQ(alone, 1e-3);
  const Joined beside = join({{traffic, hosts}, {traffic, hosts}});
  EXPECT_EQ(beside.traffic.tasks, 8);
  const FlowResult shared = simulate_flows(routes, beside.traffic, beside.placement);
  EXPECT_DOUBLE_EQ(shared.seconds, 2 * alone);
  EXPECT_DOUBLE_EQ(shared.tasks[0].end, 2 * alone);

  // Packets need one task a host.
  EXPECT_THROW((void)simulate_packets(routes, beside.traffic, beside.placement), ArgumentError);
  const Joined one = join({{traffic, hosts}, {traffic, hosts}}, true);
  EXPECT_EQ(one.traffic.tasks, 4);
  EXPECT_EQ(one.tasks[0], one.tasks[1]);
  const PacketResult packets = simulate_packets(routes, one.traffic, one.placement);
  EXPECT_EQ(packets.messages, 8);
  EXPECT_EQ(packets.packets, 8 * ((1'250'000 + 63) / 64));
}

TEST(Join, RefusesWhatDoesNotFit) {
  const Traffic traffic = shift(4, 10, 1, 2);
  EXPECT_THROW((void)join({}), ArgumentError);
  EXPECT_THROW((void)join({{traffic, {0, 1, 2}}}), ArgumentError);
  EXPECT_NO_THROW((void)join({{traffic, {0, 1, 1, 2}}}));
  EXPECT_THROW((void)join({{traffic, {0, 1, 1, 2}}}, true), ArgumentError);
  Traffic long_one = pattern("WF", 16, 10);
  long_one.repeats = INT64_C(1) << 40;
  EXPECT_THROW((void)join({{long_one, hosts_from(0, 16)}, {traffic, hosts_from(16, 4)}}), ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
