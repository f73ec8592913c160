// Sizes, counts and times that no 64-bit sum can hold are refused, and the message says what and where.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/simulate.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

constexpr std::int64_t most = INT64_MAX;

std::shared_ptr<fabric::Topology> net() {
  return std::make_shared<fabric::Topology>(fabric::make_topology("k-ary-n-tree:2,2"));
}

fabric::Routes routes() { return fabric::route(net(), "minhop"); }

// What an argument is refused with; "none" if it is not.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "none";
}

void expect_refused(const std::string& part, const std::function<void()>& call) {
  const std::string message = refusal(call);
  EXPECT_NE(message.find(part), std::string::npos) << "expected '" << part << "', got '" << message << "'";
}

FlowResult flows_of(const Traffic& traffic, const FlowOptions& options = {}) {
  return simulate_flows(routes(), traffic, consecutive_hosts(*net(), traffic.tasks), options);
}

PacketResult packets_of(const Traffic& traffic, const PacketOptions& options = {}) {
  return simulate_packets(*net(), traffic, consecutive_hosts(*net(), traffic.tasks), options);
}

// One message of each task of two.
constexpr std::string_view big_goal =
    "num_ranks 2\n"
    "rank 0 {\na: send 5000000000000000000b to 1\nb: recv 5000000000000000000b from 1\n}\n"
    "rank 1 {\na: send 5000000000000000000b to 0\nb: recv 5000000000000000000b from 0\n}\n";

Traffic computation(std::int64_t nanoseconds, std::int64_t repeats = 1) {
  Programs programs("computation", 1);
  programs.compute(0, nanoseconds);
  return std::move(programs).finish(repeats);
}

TEST(Limits, BytesOfAllMessages) {
  const Traffic traffic = read_goal(big_goal, "big.goal");
  const std::string message =
      "traffic 'big.goal': with message 1 of task 1 (5000000000000000000 bytes) there are more than 2^63 - 1 "
      "bytes in all";
  expect_refused(message, [&] { totals(traffic); });
  expect_refused(message, [&] { check(traffic); });
  expect_refused(message, [&] { flows_of(traffic); });
  expect_refused(message, [&] { packets_of(traffic, {.packet_bytes = 1 << 30}); });
  expect_refused("'FSIN trace': with message 1", [] {
    read_fsin("s 0 1 0 9000000000000000000\nr 0 1 0 9000000000000000000\ns 1 0 0 9000000000000000000\n");
  });
}

TEST(Limits, BytesUpToTheLargestNumberAreCounted) {
  Programs programs("largest", 2);
  programs.send(0, 1, most - 1);
  programs.send(1, 0, 1);
  const Traffic traffic = std::move(programs).finish();
  EXPECT_EQ(totals(traffic).bytes, most);
  const FlowResult result = flows_of(traffic);
  EXPECT_EQ(result.bytes, most);
  EXPECT_DOUBLE_EQ(result.seconds, static_cast<double>(most) / 1.25e9);
}

TEST(Limits, RepeatedTraffic) {
  Programs programs("repeated", 2);
  programs.send(0, 1, 1 << 20);
  expect_refused("of task 0 (1048576 bytes)", [&] { std::move(programs).finish(most / 2); });
  Programs many("many", 2);
  for (int i = 0; i < 3; ++i) many.send(0, 1, 0);
  expect_refused("3 messages and computations, 4611686018427387903 times",
                 [&] { std::move(many).finish(most / 2); });
  expect_refused("repeats 3000000000 times", [] { packets_of(computation(0, 3'000'000'000)); });
}

TEST(Limits, Patterns) {
  expect_refused("bytes in all", [] { pattern("WF", 4, most); });
  expect_refused("bytes in all", [] { all_to_all(4, most / 2); });
  expect_refused("no square", [] { pattern("2M", INT32_MAX, 1); });
  expect_refused("100000 ranks send 9999900000 messages", [] { all_to_all(100'000, 8); });
  expect_refused("3000000000 messages", [] { uniform(3, 8, 1'000'000'000, 1); });
  expect_refused("messages", [] { shift(100'000, 8, 1, 100'000); });
}

TEST(Limits, PacketsOfAMessage) {
  Programs programs("long", 2);
  programs.send(0, 1, most);
  const Traffic traffic = std::move(programs).finish();
  expect_refused("message 0 of traffic 'long' is 144115188075855872 packets long",
                 [&] { packets_of(traffic); });
}

TEST(Limits, CyclesOfAComputation) {
  const Traffic traffic = computation(most);
  const PacketOptions fast{.packet_bytes = 1, .packet_phits = 1 << 16, .link_bytes_per_second = 1e15};
  try {
    packets_of(traffic, fast);
    ADD_FAILURE() << "6e29 cycles were simulated";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("more than 2^31 cycles"), std::string::npos) << error.what();
  }
}

TEST(Limits, SecondsOfAFlow) {
  Programs programs("slow", 2);
  programs.send(0, 1, most);
  const Traffic traffic = std::move(programs).finish();
  const std::string message = "traffic 'slow' takes more seconds than can be counted";
  expect_refused(message, [&] { flows_of(traffic, {.link_bytes_per_second = 1e-300}); });
  Programs two("slow", 2);
  for (int i = 0; i < 2; ++i) two.send(0, 1, 0);
  const Traffic costly = std::move(two).finish();
  expect_refused(message, [&] { flows_of(costly, {.message_seconds = 1.7e308}); });
}

TEST(Limits, BytesOfASchedule) {
  const Schedule schedule = make_schedule("direct-send", {4, most / 8});
  expect_refused("1152921504606846975 pixels of 16 bytes", [&] { schedule_traffic(schedule, 16); });
  expect_refused("1152921504606846975 pixels of 16 bytes", [&] { compositing_traffic(schedule); });
  expect_refused("choose larger chunks",
                 [&] { compositing_traffic(schedule, {.pixel_bytes = 1, .chunk_bytes = 1}); });
}

TEST(Limits, NanosecondsOfAFrame) {
  const Schedule schedule = make_schedule("direct-send", {4, 1 << 20});
  expect_refused("stage_seconds", [&] { compositing_traffic(schedule, {.stage_seconds = 1e300}); });
  expect_refused("blend_bytes_per_second",
                 [&] { compositing_traffic(schedule, {.blend_bytes_per_second = 1e-300}); });
}

}  // namespace
}  // namespace sortlast::simulate
