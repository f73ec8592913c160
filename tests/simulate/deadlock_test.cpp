// Waits without end are found and named, whatever causes them.
#include <gtest/gtest.h>

#include <memory>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

std::string failure(const fabric::Topology& topology, const Traffic& traffic) {
  try {
    (void)simulate_packets(topology, traffic, consecutive_hosts(topology, traffic.tasks));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Everybody sends halfway round a ring, all the same way: the textbook case of Dally and Seitz.
TEST(Deadlock, NamesTheBuffersThatWaitForEachOther) {
  const fabric::Topology ring = fabric::make_topology("torus:5");
  Programs programs("round", 5);
  for (std::int32_t i = 0; i < 5; ++i) programs.send(i, (i + 2) % 5, 6400);
  const std::string said = failure(ring, std::move(programs).finish());
  EXPECT_NE(said.find("the buffers of 5 links are full and wait for each other"), std::string::npos) << said;
  for (std::int32_t s = 0; s < 5; ++s) {
    EXPECT_NE(said.find("'" + ring.switch_at(s).name + "' port"), std::string::npos) << said;
  }
}

TEST(Deadlock, DoesNotHappenInTrees) {
  for (const char* const name : {"thin-tree:4,1,2", "slender-tree:4,2,2", "k-ary-n-tree:4,2"}) {
    EXPECT_EQ(failure(fabric::make_topology(name), all_to_all(16, 2560)), "") << name;
  }
}

// Each of two tasks waits for the other's message before it sends its own.
TEST(Deadlock, NamesMessagesThatWaitForEachOther) {
  Programs programs("both wait", 2);
  programs.receive(0, 1);
  programs.send(0, 1, 10);
  programs.receive(1, 0);
  programs.send(1, 0, 10);
  Traffic traffic = std::move(programs).finish();
  for (const bool in_order : {true, false}) {
    traffic.in_order = in_order;
    EXPECT_EQ(
        failure(fabric::crossbar(2), traffic),
        "deadlock: messages wait for messages that will never come: task 0 waits for message 1 of task 1; "
        "task 1 waits for message 0 of task 0");
  }
}

TEST(Deadlock, TablesThatLeadInACircleAreRefused) {
  const auto ring = std::make_shared<const fabric::Topology>(fabric::make_topology("torus:3"));
  const auto tables = std::make_shared<fabric::Tables>(*ring);
  for (std::int32_t s = 0; s < 3; ++s) {
    for (std::int32_t h = 0; h < 3; ++h) tables->set(s, h, 3);
  }
  const Traffic traffic = pattern("BU", 2, 10);
  EXPECT_THROW(simulate_packets(fabric::Routes{ring, tables, "circle", "circle", ""}, traffic,
                                consecutive_hosts(*ring, 2)),
               Error);
}

TEST(Deadlock, HostsThatCannotBeReachedAreRefused) {
  fabric::TopologyBuilder builder("two islands");
  for (int i = 0; i < 2; ++i) {
    builder.add_switch({.name = "switch", .ports = 1});
    builder.connect_host(builder.add_host({.name = "host"}), i, 1);
  }
  EXPECT_NE(failure(std::move(builder).finish(), pattern("BU", 2, 10)).find("no path leads"),
            std::string::npos);
}

}  // namespace
}  // namespace sortlast::simulate
