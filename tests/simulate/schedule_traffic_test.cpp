// Traffic of schedules: every transfer is a message that waits for what its part is made of.
#include "sortlast/simulate/traffic.hpp"

#include <gtest/gtest.h>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/packet.hpp"

namespace sortlast::simulate {
namespace {

TEST(ScheduleTraffic, HasTheTransfersOfEveryAlgorithm) {
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const std::int32_t p : {1, 2, 5, 8, 12}) {
      SCOPED_TRACE(std::string(entry.name) + " " + std::to_string(p));
      const Schedule schedule = make_schedule(entry.name, {.p = p, .n = 4099});
      const Traffic traffic = schedule_traffic(schedule, 16);
      check(traffic);
      std::int64_t messages = 0, bytes = 0;
      for (const Transfer& transfer : schedule.transfers()) {
        messages += transfer.fragment.pixels.empty() ? 0 : 1;
        bytes += 16 * transfer.fragment.pixels.size();
      }
      EXPECT_EQ(totals(traffic).messages, messages);
      EXPECT_EQ(totals(traffic).bytes, bytes);

      // It comes to an end, and no faster than its busiest host can send or receive.
      const fabric::Topology topology = fabric::crossbar(p);
      const PacketResult run = simulate_packets(topology, traffic, consecutive_hosts(topology, p));
      EXPECT_EQ(run.messages, messages);
      for (const std::int64_t load : run.link_loads) EXPECT_GE(run.cycles, 16 * load);
    }
  }
}

TEST(ScheduleTraffic, BinarySwapWaitsForTheStageBefore) {
  const Traffic traffic = schedule_traffic(make_schedule("binary-swap", {.p = 8, .n = 800}), 1);
  ASSERT_EQ(traffic.messages(), 24);
  const std::vector<std::int32_t> source = sources(traffic);
  for (std::int32_t m = 0; m < 24; ++m) {
    const auto at = static_cast<std::size_t>(m);
    const std::int64_t stage = m % 3;
    EXPECT_EQ(traffic.size[at], 400 >> stage);
    // What it sends holds what it received at each stage before.
    EXPECT_EQ(traffic.first_cause[at + 1] - traffic.first_cause[at], stage);
    for (std::int64_t i = traffic.first_cause[at]; i < traffic.first_cause[at + 1]; ++i) {
      const std::int32_t cause = traffic.causes[static_cast<std::size_t>(i)];
      EXPECT_EQ(traffic.destination[static_cast<std::size_t>(cause)], source[at]);
      EXPECT_LT(cause % 3, stage);
    }
  }
}

TEST(ScheduleTraffic, DirectSendWaitsForNothing) {
  EXPECT_TRUE(schedule_traffic(make_schedule("direct-send", {.p = 9, .n = 900}), 16).causes.empty());
  EXPECT_TRUE(schedule_traffic(make_schedule("shift", {.p = 9, .n = 900}), 16).causes.empty());
}

TEST(ScheduleTraffic, RefusesPixelsOfNoSize) {
  EXPECT_THROW(schedule_traffic(make_schedule("shift", {.p = 4, .n = 16}), 0), ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
