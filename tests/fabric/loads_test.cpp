// Bytes on channels, as predicted and as counters of ports tell, and what links can carry.
#include "sortlast/fabric/loads.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {
namespace {

using testing::refusal;

TEST(DataRate, IsWithoutTheCoding) {
  EXPECT_DOUBLE_EQ(data_rate(10), 1e9);      // 4xSDR
  EXPECT_DOUBLE_EQ(data_rate(40), 4e9);      // 4xQDR
  EXPECT_NEAR(data_rate(56), 6.818e9, 1e6);  // 4xFDR
  EXPECT_DOUBLE_EQ(data_rate(100), 12.5e9);
  EXPECT_DOUBLE_EQ(data_rate(400), 50e9);  // 4xNDR
  EXPECT_DOUBLE_EQ(data_rate(0), 0);
}

TEST(ChannelBytes, AreThoseOfAllStages) {
  const auto tree = std::make_shared<const Topology>(make_topology("k-ary-n-tree:3,2"));
  const Routes routes = route(tree, "ftree");
  Placement placement(9);
  std::iota(placement.begin(), placement.end(), 0);
  placement[4] = -1;
  const auto pattern = shift_pattern(9, 10);
  const std::vector<std::int64_t> bytes = channel_bytes(routes, *pattern, placement);
  std::vector<std::int64_t> expected(bytes.size(), 0);
  for (std::int64_t stage = 0; stage < pattern->stages(); ++stage) {
    const std::vector<std::int32_t> flows = loads(routes, *pattern, placement, stage);
    for (std::size_t c = 0; c < flows.size(); ++c) expected[c] += std::int64_t{10} * flows[c];
  }
  EXPECT_EQ(bytes, expected);
  EXPECT_EQ(bytes[0], 70);
  EXPECT_EQ(bytes[4], 0);
}

// Two hosts on a switch: hosts have the LIDs 1 and 2, the switch 3.
Topology pair() { return assign_lids(make_topology("crossbar:2")); }

TEST(Counters, AreThoseOfPerfquery) {
  const Topology topology = pair();
  const std::int32_t on = topology.switch_at(0).lid;
  const std::string title = "# Port extended counters: Lid " + std::to_string(on);
  const std::vector<std::int64_t> bytes =
      read_counters(topology,
                    title +
                        " port 1 (CapMask: "
                        "0x5A00)\nPortSelect:......................1\nPortXmitData:....................25\n"
                        "PortRcvData:.....................50\nPortXmitPkts:....................3\n" +
                        title + " port 255 (CapMask: 0x5A00)\nPortXmitData:....................999\n",
                    "c");
  ASSERT_EQ(bytes.size(), 4U);
  EXPECT_EQ(bytes[static_cast<std::size_t>(topology.channel(0, 1))], 100);
  EXPECT_EQ(bytes[0], 200);  // what the switch has received, the host has sent
  EXPECT_EQ(bytes[1], -1);
  EXPECT_EQ(bytes[static_cast<std::size_t>(topology.channel(0, 2))], -1);
}

TEST(Counters, AreThoseOfIbqueryerrors) {
  const Topology topology = pair();
  const std::vector<std::int64_t> bytes = read_counters(
      topology,
      "Data Counters for 0x20100000 \"sw-L1-0000\"\n"
      "   GUID 0x20100000 port 0: [PortXmitData == 0 (0.000)]\n"
      "   GUID 0x20100000 port ALL: [PortXmitWait == 3 (3.000)] [PortXmitData == 7 (28.000B)]\n"
      "   GUID 0x" +
          [&] {
            char text[17];
            std::snprintf(text, sizeof text, "%llx",
                          static_cast<unsigned long long>(topology.host(1).port_guid));
            return std::string(text);
          }() +
          " port 1: [PortXmitWait == 3 (3.000)] [PortXmitData == 5 (20.000B)] [PortRcvData == 6 "
          "(24.000B)]\n\n"
          "## Summary: 1 nodes checked, 0 bad nodes found\n",
      "c");
  EXPECT_EQ(bytes[1], 20);
  EXPECT_EQ(bytes[static_cast<std::size_t>(topology.channel(0, 2))], 24);
  EXPECT_EQ(bytes[0], -1);
}

TEST(Counters, SayWhatIsWrongAndWhere) {
  const Topology topology = pair();
  const std::string lid = std::to_string(topology.switch_at(0).lid);
  const std::string title = "# Port extended counters: Lid " + lid + " port 1 (CapMask: 0x5A00)\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"",
       "c:1: expected counters as perfquery -x, ibqueryerrors --counters or ibdiagnet's PM_INFO have them, "
       "found "
       "none"},
      {"some text\n", "c:1: expected counters"},
      {"PortXmitData:....1\n",
       "c:1: expected a line '# Port extended counters: Lid N port M' before this one"},
      {"# Port extended counters: Lid 77 port 1\n", "c:1: the fabric has no vertex with LID 77"},
      {"# Port extended counters: DR path slid 0; dlid 0; 0,1 port 1\n", "c:1: expected 'Lid N port M'"},
      {"# Port extended counters: Lid " + lid + " port 9\n",
       "c:1: 'sw-L1-0000' has no port 9 in this fabric"},
      {title + "PortXmitData:....x\n", "c:2: expected a counter (0 to 2305843009213693951), found 'x'"},
      {title + "PortXmitData:....9223372036854775807\n", "c:2: expected a counter"},
      {title + "PortXmitData:..1\nPortXmitData:..2\n", "c:3: a second value of this counter of "},
      {"GUID 0x77 port 1: [PortXmitData == 1 (4B)]\n", "c:1: the fabric has no vertex with this GUID"},
      {"GUID what port 1:\n", "c:1: expected a GUID in hex"},
      {"# Port counters: Lid " + lid + " port 1 (CapMask: 0x5A00)\nPortXmitData:....4294967295\n",
       "c:2: the counter has reached its end, at 32 bits; use those of 64 bits (perfquery -x)"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&, &wrong = text] { (void)read_counters(topology, wrong, "c"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

}  // namespace
}  // namespace sortlast::fabric
