// Nodes with several adapters: who is in which, lists of nodes in all their forms, and the ranks on rails.
#include "sortlast/fabric/nodes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "canonical.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {
namespace {

using testing::refusal;
using Names = std::vector<std::string>;
using Hosts = std::vector<std::int32_t>;

struct Machine {
  std::string name;
  std::uint64_t guid = 0;
  std::int32_t port = 1;
};

// One switch with these adapters, in their order.
Topology fabric_of(const std::vector<Machine>& machines) {
  TopologyBuilder builder("machines");
  builder.add_switch({.name = "switch", .guid = 1, .ports = static_cast<std::int32_t>(machines.size())});
  for (const Machine& each : machines) {
    const std::int32_t h = builder.add_host({.name = each.name,
                                             .guid = each.guid,
                                             .port_guid = each.guid + static_cast<std::uint64_t>(each.port),
                                             .port = each.port});
    builder.connect_host(h, 0, h + 1);
  }
  return std::move(builder).finish();
}

// Two machines of two adapters, one that has not said its name, and an aggregation node.
std::vector<Machine> pair() {
  return {{"a1 mlx5_10", 0x110},
          {"a1 mlx5_2", 0x120},
          {"a2 mlx5_2", 0x220},
          {"a2 mlx5_10", 0x210},
          {"MT4129 ConnectX7   Mellanox Technologies", 0x330},
          {"Mellanox Technologies Aggregation Node", 0x440}};
}

RankPlacement placed(const Topology& topology, std::string_view list, const RailOptions& options = {}) {
  return place_ranks(topology, find_nodes(topology), read_hostfile(topology, list, "list"), options);
}

TEST(Nodes, AreThoseOfTheDescriptions) {
  const std::vector<Node> nodes = find_nodes(fabric_of(pair()));
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].name, "a1");
  EXPECT_EQ(nodes[0].adapters, (std::vector<Adapter>{{"mlx5_2", 1}, {"mlx5_10", 0}}));
  EXPECT_EQ(nodes[1].adapters, (std::vector<Adapter>{{"mlx5_2", 2}, {"mlx5_10", 3}}));
  EXPECT_EQ(rails(nodes), (Names{"mlx5_2", "mlx5_10"}));
  EXPECT_EQ(compute_hosts(fabric_of(pair())), (Hosts{0, 1, 2, 3, 4}));
}

TEST(Nodes, TellThePortsOfAnAdapterApart) {
  const std::vector<Node> nodes =
      find_nodes(fabric_of({{"a HCA-1", 0x10, 1}, {"a HCA-1", 0x10, 2}, {"b", 0x20}}));
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].adapters, (std::vector<Adapter>{{"HCA-1:1", 0}, {"HCA-1:2", 1}}));
  EXPECT_EQ(nodes[1].adapters, (std::vector<Adapter>{{"", 2}}));
  EXPECT_EQ(find_nodes(fabric_of({{"b", 0x20, 1}, {"b", 0x20, 2}})).front().adapters,
            (std::vector<Adapter>{{"port1", 0}, {"port2", 1}}));
}

TEST(Adapters, ComeFromATable) {
  const Topology topology = fabric_of(pair());
  const std::vector<Node> nodes = read_adapters(topology,
                                                "# node rail host\n"
                                                "a3 left 0x330\n"
                                                "a3,right,\"a1 mlx5_10\"   # moved\n"
                                                "\"a4\" left 0x221\r\n",
                                                "table");
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].name, "a3");
  EXPECT_EQ(nodes[0].adapters, (std::vector<Adapter>{{"left", 4}, {"right", 0}}));
  EXPECT_EQ(nodes[1].name, "a4");
  EXPECT_EQ(nodes[1].adapters, (std::vector<Adapter>{{"left", 2}}));
  EXPECT_EQ(nodes[2].adapters, (std::vector<Adapter>{{"mlx5_2", 1}}));   // of a1
  EXPECT_EQ(nodes[3].adapters, (std::vector<Adapter>{{"mlx5_10", 3}}));  // of a2
}

TEST(Adapters, SayWhatIsWrongAndWhere) {
  const Topology topology = fabric_of({{"a HCA-1", 0x10, 1}, {"a HCA-1", 0x10, 2}, {"b HCA-1", 0x20}});
  const std::vector<std::pair<std::string, std::string>> cases{
      {"\na\n", "table:2: expected a rail, such as mlx5_0, found the end of the line"},
      {"a left # no GUID\n", "table:1: expected the GUID of an adapter or a port, or a host's name"},
      {"a left 0x99\n", "table:1: the fabric has no host '0x99'; expected the GUID"},
      {"a left zzz\n", "table:1: the fabric has no host 'zzz'"},
      {"a left 0x10\n", "table:1: the adapter '0x10' has 2 ports with a cable; give the GUID of one port"},
      {"a left \"a HCA-1\"\n", "table:1: several hosts are called 'a HCA-1'; give the GUID of one"},
      {"a left 0x11\nb left 0x11\n", "table:2: host 'a HCA-1 (0x0000000000000011)' is listed twice"},
      {"a left 0x11\na left 0x12\n", "table:2: node 'a' has the rail 'left' already, on line 1"},
      {"\"a 1\" left 0x11\n", "table:1: expected a node's name without blanks, found 'a 1'"},
      {"a left 0x11 0x12\n", "table:1: expected the end of the line, found '0x12'"},
      {"a \"\" 0x11\n", "table:1: expected a rail, such as mlx5_0, found an empty name"},
      {"\"a\n", "table:1: expected a node's name in double quotes"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message =
        refusal([&, &wrong = text] { (void)read_adapters(topology, wrong, "table"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

TEST(Hostfile, IsReadInAllItsForms) {
  const Topology topology = fabric_of(pair());
  const auto entries = [&](std::string_view text) { return read_hostfile(topology, text, "list"); };
  EXPECT_EQ(entries("a[1-2]"), (std::vector<NodeRanks>{{"a1", 0, 1}, {"a2", 0, 1}}));
  EXPECT_EQ(entries("\"a[1-2] mlx5_2\""), (std::vector<NodeRanks>{{"a1 mlx5_2", 0, 1}, {"a2 mlx5_2", 0, 1}}));
  EXPECT_EQ(entries("a1 mlx5_2\n a2 mlx5_10 \r\n"),
            (std::vector<NodeRanks>{{"a1 mlx5_2", 0, 1}, {"a2 mlx5_10", 0, 2}}));
  EXPECT_EQ(entries("# job\na1 slots=4 max_slots=8\n\na2 slots=2 # less\n"),
            (std::vector<NodeRanks>{{"a1", 4, 2}, {"a2", 2, 4}}));
  EXPECT_EQ(entries("a1:4\na2:2 binding=user:0,1\n"), (std::vector<NodeRanks>{{"a1", 4, 1}, {"a2", 2, 2}}));
  EXPECT_EQ(entries("a1:4,a2:2"), (std::vector<NodeRanks>{{"a1", 4, 1}, {"a2", 2, 1}}));
  EXPECT_EQ(entries("a1\na2\na1\n"), (std::vector<NodeRanks>{{"a1", 0, 1}, {"a2", 0, 2}, {"a1", 0, 3}}));
  EXPECT_EQ(entries(""), std::vector<NodeRanks>());
}

TEST(Hostfile, SaysWhatIsWrongAndWhere) {
  const Topology topology = fabric_of(pair());
  const std::vector<std::pair<std::string, std::string>> cases{
      {"a1 slots=many", "list:1: expected a number of ranks (1 to 1048576), found 'many'"},
      {"a1 slots=0", "list:1: expected a number of ranks (1 to 1048576), found '0'"},
      {"\na1:99999999999", "list:2: expected a number of ranks"},
      {"slots=4", "list:1: expected a name before 'slots=4'"},
      {"a1 cores=4", "list:1: expected slots=N behind a name, found 'cores=4'"},
      {"\"\"", "list:1: expected a name between the quotes, found nothing"},
      {"\"a[1-\"", "list:1: expected a number of up to 18 digits in 'a[1-', found its end"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&, &wrong = text] { (void)read_hostfile(topology, wrong, "list"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

TEST(Ranks, TakeOneRailOrAllInTurn) {
  const Topology topology = fabric_of(pair());
  EXPECT_EQ(placed(topology, "a[1-2]", {.rail = "mlx5_2"}).placement, (Hosts{1, 2}));
  EXPECT_EQ(placed(topology, "a[1-2]", {.rail = "mlx5_10"}).nodes, (Hosts{0, 1}));
  EXPECT_EQ(placed(topology, "a[1-2]", {.rail = "all"}).placement, (Hosts{1, 0, 2, 3}));
  EXPECT_EQ(placed(topology, "a[1-2]", {.rail = "all"}).nodes, (Hosts{0, 0, 1, 1}));
  EXPECT_EQ(placed(topology, "a1,a2", {.rail = "all", .ranks_per_node = 3}).placement,
            (Hosts{1, 0, 1, 2, 3, 2}));
  EXPECT_EQ(placed(topology, "a1 slots=2\na2 slots=1\n", {.rail = "mlx5_2"}).placement, (Hosts{1, 1, 2}));
  EXPECT_EQ(placed(topology, "a1\na2\na1\n", {.rail = "all"}).placement, (Hosts{1, 2, 0}));
  EXPECT_EQ(placed(topology, "a1\na2\na1\n", {.rail = "all"}).nodes, (Hosts{0, 1, 0}));
  // Hosts and GUIDs need no rail.
  EXPECT_EQ(placed(topology, "\"a2 mlx5_10\",0x121").placement, (Hosts{3, 1}));
  EXPECT_EQ(placed(topology, "a1 mlx5_2\na1 mlx5_10\n").nodes, (Hosts{0, 0}));
  // Of several rails each node takes the first that it has.
  const Topology mixed = fabric_of({{"a HCA-6", 0x10}, {"b mlx5_5", 0x20}});
  EXPECT_EQ(placed(mixed, "a,b", {.rail = "HCA-6,mlx5_5"}).placement, (Hosts{0, 1}));
  EXPECT_EQ(placed(mixed, "a,b").placement, (Hosts{0, 1}));
}

// rdma-ndd describes devices by the short name; resource managers may have the long one, and launchers a
// user.
TEST(Ranks, NeedNeitherTheDomainNorTheUserOfAName) {
  const Topology shorts = fabric_of({{"n1 mlx5_0", 0x10}, {"n2 mlx5_0", 0x20}, {"10 mlx5_0", 0x30}});
  for (const char* list : {"n2\nn1\n", "n2.cl.example\nn1.cl.example\n", "me@n2\nme@n1.cl.example\n"}) {
    EXPECT_EQ(placed(shorts, list).placement, (Hosts{1, 0})) << list;
  }
  EXPECT_EQ(placed(shorts, "me@n2.example slots=2\nn1:1\n").placement, (Hosts{1, 1, 0}));
  EXPECT_EQ(find_hosts(shorts, {"n2.example", "me@n1"}), (Hosts{1, 0}));
  EXPECT_TRUE(
      refusal([&] { (void)placed(shorts, "10.0.0.1"); }).starts_with("the fabric has no host '10.0.0.1'"));
  EXPECT_TRUE(refusal([&] {
                (void)placed(shorts, "n1\nn1.example\n", {.ranks_per_node = 1});
              }).starts_with("'n1.example' stands on line 1 too"));

  const Topology longs = fabric_of(
      {{"n1.a.example mlx5_0", 0x10}, {"n2.a.example mlx5_0", 0x20}, {"n2.b.example mlx5_0", 0x30}});
  EXPECT_EQ(placed(longs, "n1,n2.b").placement, (Hosts{0, 2}));
  EXPECT_EQ(refusal([&] { (void)placed(longs, "n2"); }),
            "'n2' may be any of 2 nodes: 'n2.a.example', 'n2.b.example'; give the name with its domain");
  EXPECT_TRUE(refusal([&] {
                (void)placed(longs, "n1.b.example");
              }).starts_with("the fabric has no host 'n1.b.example'"));
}

TEST(Ranks, SayWhichRailsThereAre) {
  const Topology topology = fabric_of(pair());
  struct Case {
    std::string list;
    RailOptions options;
    std::string expected;
  };
  const std::vector<Case> cases{
      {"a1",
       {},
       "'a1' may be any of 2 hosts, its adapters on the rails mlx5_2 and mlx5_10; choose one (--rail "},
      {"a1", {.rail = "HCA-1"}, "no node has a rail 'HCA-1'; the rails are mlx5_2 and mlx5_10; all takes"},
      {"a1,a1", {.rail = "all"}, "'a1' is in the list twice; name each once, or for several ranks a node"},
      {"a1\na1",
       {.rail = "all", .ranks_per_node = 2},
       "'a1' stands on line 1 too, and every node is to have 2"},
      {"a9", {}, "the fabric has no host 'a9'"},
      {"a1", {.ranks_per_node = -1}, "-1 ranks a node; expected 1 or more"},
      {"a1:1000000", {.rail = "mlx5_2", .ranks_per_node = 1 << 25}, "the list has more than 16777216 ranks"},
  };
  for (const Case& each : cases) {
    const std::string message = refusal([&] { (void)placed(topology, each.list, each.options); });
    EXPECT_TRUE(message.starts_with(each.expected)) << message;
  }
  const Topology lacking = fabric_of({{"a HCA-1", 0x10}, {"a HCA-2", 0x20}, {"b HCA-2", 0x30}});
  EXPECT_TRUE(
      refusal([&] {
        (void)placed(lacking, "a\nb", {.rail = "HCA-1", .file = "job.hosts"});
      }).starts_with("job.hosts:2: 'b' has no adapter on rail HCA-1; it has HCA-2: name another rail"));
  const Topology twins = fabric_of({{"twin HCA-1", 0x10}, {"twin HCA-1", 0x20}});
  EXPECT_TRUE(refusal([&] { (void)placed(twins, "twin", {.rail = "HCA-1"}); })
                  .starts_with("'twin' has several HCA-1, 'twin HCA-1 (0x0000000000000011)' and "
                               "'twin HCA-1 (0x0000000000000021)'"));
}

TEST(Ranks, OfOneNodeDoNotUseTheFabric) {
  const auto pattern = between_nodes(shift_pattern(4), {0, 0, 1, 1});
  EXPECT_EQ(pattern->stages(), 3);
  EXPECT_FALSE(pattern->is_shift());
  EXPECT_EQ(pattern->flows(0), (std::vector<Flow>{{1, 2, 1}, {3, 0, 1}}));
  EXPECT_EQ(pattern->flows(1).size(), 4U);
  EXPECT_NE(refusal([] { (void)between_nodes(shift_pattern(4), {0, 1}); }).find("2 nodes for the 4"),
            std::string::npos);
}

TEST(NodeNameMap, GivesNames) {
  const Topology topology = fabric_of(pair());
  const NodeNames names = read_node_name_map(
      "# adapters\n\n0x330 \"a2 mlx5_3\" # at last\n0x1 core 1\n0x1 \"too late\"\n274 a1 mlx5_11\n", "map");
  EXPECT_EQ(names, (NodeNames{{0x330, "a2 mlx5_3"}, {1, "core 1"}, {274, "a1 mlx5_11"}}));
  const Topology renamed = with_names(topology, names);
  EXPECT_EQ(renamed.host(4).name, "a2 mlx5_3");
  EXPECT_EQ(renamed.switch_at(0).name, "core 1");
  EXPECT_EQ(renamed.host(0).name, "a1 mlx5_10");
  EXPECT_EQ(renamed.host(4).guid, 0x330U);
  EXPECT_EQ(renamed.links(), topology.links());
  EXPECT_EQ(find_nodes(renamed)[1].adapters.size(), 3U);
}

TEST(NodeNameMap, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"spine-1 0x10\n",
       "map:1: expected a GUID in hex, such as 0x2c5eab0300c26280, and a name, found 'spine-1"},
      {"0x10\n", "map:1: expected a name behind the GUID, found the end of the line"},
      {"\n0x10 # nobody\n", "map:2: expected a name behind the GUID"},
      {"0x10 \"open\n", "map:1: expected a name in double quotes"},
      {"0x0 nobody\n", "map:1: expected a GUID that is not 0"},
      {"0x1ffffffffffffffff big\n", "map:1: expected a GUID in hex"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_node_name_map(wrong, "map"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

}  // namespace
}  // namespace sortlast::fabric
