// opensm-subnet.lst, Slurm's topology.conf, and which format a file has.
#include <gtest/gtest.h>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/nodes.hpp"

namespace sortlast::fabric {
namespace {

using testing::canonical;
using testing::refusal;

std::string adapter(const std::string& name = "host00000 HCA-1", const std::string& lid = "0001") {
  return "{ CA-SM Ports:01 SystemGUID:0000000010000000 NodeGUID:0000000010000000 PortGUID:0000000010000001 "
         "VenID:000000 DevID:0000 Rev:000000A1 {" +
         name + "} LID:" + lid + " PN:01 } ";
}

std::string leaf(const std::string& port) {
  return "{ SW Ports:18 SystemGUID:0000000020100000 NodeGUID:0000000020100000 PortGUID:0000000020100000 "
         "VenID:00000000 DevID:0000 Rev:000000A1 {sw-L1-0000} LID:0011 PN:" +
         port + " } ";
}

std::string spine(const std::string& port) {
  return "{ SW Ports:04 SystemGUID:00000000000000FF NodeGUID:0000000020200000 PortGUID:0000000020200000 "
         "VenID:00000000 DevID:0000 Rev:000000A1 {spine} LID:0012 PN:" +
         port + " } ";
}

constexpr const char* active = "PHY=4x LOG=ACT SPD=2.5\n";
std::string subnet() {
  return adapter() + leaf("0A") + active + leaf("0A") + adapter() + active + leaf("18") + spine("04") +
         "PHY=12x LOG=ACT SPD=25\n" + spine("04") + leaf("18") + "PHY=12x LOG=ACT SPD=25\n";
}

TEST(ReadSubnetList, KnowsEverythingThatTheFileSays) {
  const Topology topology = read_subnet_list(subnet(), "lst");
  ASSERT_EQ(topology.hosts(), 1);
  ASSERT_EQ(topology.switches(), 2);
  EXPECT_EQ(topology.host(0).name, "host00000 HCA-1");
  EXPECT_EQ(topology.host(0).guid, 0x10000000U);
  EXPECT_EQ(topology.host(0).port_guid, 0x10000001U);
  EXPECT_EQ(topology.host(0).lid, 1);
  EXPECT_EQ(topology.attachment(0), (End{topology.vertex_of_switch(0), 10}));
  EXPECT_EQ(topology.gbps(0), 10);
  EXPECT_EQ(topology.switch_at(0).ports, 24);
  EXPECT_EQ(topology.switch_at(0).lid, 17);
  EXPECT_EQ(topology.switch_at(0).system_guid, 0U);
  EXPECT_EQ(topology.switch_at(1).system_guid, 0xFFU);
  EXPECT_EQ(topology.gbps(topology.channel(0, 24)), 300);
  EXPECT_EQ(canonical(read_topology(subnet(), "lst")), canonical(topology));
}

TEST(ReadSubnetList, ReadsNamesWithBraces) {
  const std::string name = "odd {name} } x";
  const Topology topology = read_subnet_list(adapter(name) + leaf("0A") + "PHY=4x LOG=ACT SPD=??", "lst");
  EXPECT_EQ(topology.host(0).name, name);
  EXPECT_EQ(topology.gbps(0), 0);
}

TEST(ReadSubnetList, ReadsTheListOfIbdiagnet) {
  std::string text = "# This list was made by a tool\n\n" + subnet();
  for (std::size_t at = text.find("SPD=2.5"); at != text.npos; at = text.find("SPD=2.5", at + 1)) {
    text.insert(at + 7, " FEC=RS RETRANS=NO");
  }
  EXPECT_EQ(canonical(read_topology(text, "lst")), canonical(read_subnet_list(subnet(), "lst")));
}

TEST(ReadSubnetList, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "lst:1: expected links ('{ SW Ports:...'), found none"},
      {"x\n", "lst:1: expected '{', found 'x'"},
      {"{ XX Ports:01", "lst:1: expected a node of kind SW, CA or Rt, found 'XX'"},
      {"{ SW Ports:FFFFFFFF", "lst:1: expected the number of ports (1 to 254), found 4294967295"},
      {"{ SW Ports:01 SystemGUID:zz", "lst:1: expected a number in hex, found 'zz'"},
      {adapter() + "\n", "lst:1: expected '{', found the end of the line"},
      {adapter() + leaf("0A") + "\n", "lst:1: expected 'PHY=', found the end of the line"},
      {adapter() + leaf("19") + active, "lst:1: expected a port of the node (1 to 24), found 25"},
      {adapter() + leaf("0A") + active + adapter() + leaf("0A") + active,
       "lst:2: port 1 of 'host00000 HCA-1' has a cable already, on line 1"},
      {adapter() + leaf("0A") + active + leaf("0A") + adapter("host00000 HCA-1", "0002") + active,
       "lst:2: port 1 of 'host00000 HCA-1' has LID "},
      {adapter() + leaf("0A") + active + leaf("0B") + adapter() + active,
       "lst:2: a cable between port 1 of 'host00000 HCA-1' and port 11 of 'sw-L1-0000', but line 1 says "
       "that "},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_subnet_list(wrong, "lst"); });
    EXPECT_NE(message.find(expected.substr(6)), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("lst:")) << message;
  }
}

// Nodes and switches of each switch's line, in order.
TEST(ReadSlurmTopology, ReadsATree) {
  const std::string text =
      "# two leaves\nswitchname=leaf1 nodes=n[1-2],login LinkSpeed=100\nSwitchName=leaf2 \\\n  Nodes=n3\n\n"
      "SwitchName=spine Switches=leaf[1-2]";
  for (const Topology& topology : {read_slurm_topology(text, "conf"), read_topology(text, "conf")}) {
    ASSERT_EQ(topology.hosts(), 4);
    ASSERT_EQ(topology.switches(), 3);
    EXPECT_EQ(topology.links(), 6);
    EXPECT_EQ(topology.host(2).name, "login");
    EXPECT_EQ(topology.attachment(3), (End{topology.vertex_of_switch(1), 1}));
    EXPECT_EQ(topology.switch_at(0).ports, 4);
    EXPECT_EQ(topology.target(topology.channel(2, 2)), (End{topology.vertex_of_switch(1), 2}));
  }
}

// Each is the same tree to slurmctld.
TEST(ReadSlurmTopology, SplitsLinesAsSlurmDoes) {
  const std::string leaves = "SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\n";
  const auto expected = canonical(read_slurm_topology(leaves + "SwitchName=s2 Switches=s[0-1]\n", "conf"));
  for (const char* spine :
       {"SwitchName = s2\tSwitches = s[0-1]", "SwitchName=s2 Switches=s0,\\\ns1",
        "SwitchName=s2 Switches=s0,s1,", "SwitchName=\"s2\" Switches=\"s[0-1]\"  # the spine",
        "switchname= s2 SWITCHES= s[0-1] LinkSpeed = 5", "SwitchName=s2 \\  \n  Switches=s[0-1]",
        "SwitchName=s2 Switches=s[0-1] \\"}) {
    for (const char* prompt : {"$ cat topology.conf\n", "\n [root@head ~]# cat topology.conf\n"}) {
      EXPECT_EQ(canonical(read_topology(prompt + leaves + spine + "\n[root@head ~]# ", "conf")), expected)
          << prompt << spine;
    }
  }
}

TEST(ReadSlurmTopology, GivesANodeOnTwoSwitchesTwoPorts) {
  const Topology topology = read_slurm_topology("SwitchName=a Nodes=n\nSwitchName=b Nodes=n\n", "conf");
  ASSERT_EQ(topology.hosts(), 2);
  EXPECT_EQ(topology.host(0).guid, topology.host(1).guid);
  EXPECT_EQ(topology.host(1).port, 2);
}

TEST(ReadSlurmTopology, SaysWhatIsWrongAndWhere) {
  std::string many_lists;
  for (int i = 0; i < 100; ++i) many_lists += "SwitchName=s" + std::to_string(i) + " Nodes=n[1-65000]\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "conf:1: expected 'SwitchName=... Nodes=...' or 'Switches=...', found none"},
      {"SwitchName=a Nodes=\n", "conf:1: expected settings (NAME=VALUE), found 'Nodes='"},
      {"BlockName=b1 Nodes=n\n", "conf:1: expected SwitchName=, Nodes=, Switches= or LinkSpeed="},
      {"SwitchName=a n1\n", "conf:1: expected settings (NAME=VALUE), found 'n1'"},
      {"Nodes=n1\n", "conf:1: expected 'SwitchName=' in this line"},
      {"SwitchName=a Nodes=n[1\n", "conf:1: expected ',', '-' or ']' in a bracket"},
      {"SwitchName=a Nodes=n[1-99999999]\n", "conf:1: expected at most 1048576 names"},
      {"SwitchName=a Nodes=n[1-70000]\n",
       "conf:1: switch 'a' would have 70000 ports; expected at most 65534"},
      {"SwitchName=a Switches=b\n", "conf:1: switch 'b' has no line of its own"},
      {"SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n",
       "conf:2: a second line of switch 'a'; the first is line 1"},
      {many_lists, "conf:17: expected at most 1048576 names of 32 MiB together, found more"},
      {"Include leaves.conf\n", "conf:1: expected the lines of 'leaves.conf' in its place"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_slurm_topology(wrong, "conf"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

TEST(WriteSlurmTopology, FoldsWhatLiesBelowEverySwitch) {
  EXPECT_EQ(write_slurm_topology(make_topology("k-ary-n-tree:3,2")),
            "SwitchName=sw-L1-0000 Nodes=host[00000-00002]\n"
            "SwitchName=sw-L1-0001 Nodes=host[00003-00005]\n"
            "SwitchName=sw-L1-0002 Nodes=host[00006-00008]\n"
            "SwitchName=sw-L2-0000 Switches=sw-L1-[0000-0002]\n"
            "SwitchName=sw-L2-0001 Switches=sw-L1-[0000-0002]\n"
            "SwitchName=sw-L2-0002 Switches=sw-L1-[0000-0002]\n");
}

TEST(WriteSlurmTopology, ComesBackTheSame) {
  for (const char* family : {"crossbar:4", "k-ary-n-tree:2,3", "thin-tree:4,2,2", "pgft:4,3;1,2;1,2"}) {
    const std::string text = write_slurm_topology(make_topology(family));
    EXPECT_EQ(write_slurm_topology(read_slurm_topology(text, "conf")), text) << family;
  }
}

TEST(WriteSlurmTopology, RefusesWhatIsNoTree) {
  EXPECT_NE(refusal([] { (void)write_slurm_topology(make_topology("torus:4,4")); }).find("only hold a tree"),
            std::string::npos);
}

TEST(WriteSlurmTopology, NamesSwitchesByGuidWhereTheirNamesWillNotDo) {
  TopologyBuilder builder("odd");
  for (std::uint64_t s = 0; s < 2; ++s) {
    builder.add_switch({.name = "MF0;spine:U1", .guid = 0xa0 + s, .ports = 1}, 1);
    builder.connect_host(builder.add_host({.name = "n" + std::to_string(s) + " mlx5_0"}),
                         static_cast<std::int32_t>(s), 1);
  }
  EXPECT_EQ(write_slurm_topology(std::move(builder).finish()),
            "SwitchName=S-00000000000000a0 Nodes=n0\nSwitchName=S-00000000000000a1 Nodes=n1\n");
}

// Leaves 1 and 2 with two nodes each, whose adapters are on both; a spine.
Topology two_rails(bool named = true) {
  TopologyBuilder builder("two rails");
  for (std::uint64_t s = 0; s < 3; ++s) {
    builder.add_switch({.name = s < 2 ? "leaf" + std::to_string(s + 1) : "spine", .guid = 1 + s, .ports = 5},
                       s < 2 ? 1 : 2);
  }
  for (std::int32_t n = 0; n < 2; ++n) {
    for (std::int32_t r = 0; r < 2; ++r) {
      const std::string name = named || n + r < 2 ? "n" + std::to_string(n + 1) + " mlx5_" + std::to_string(r)
                                                  : "MT4129 ConnectX7   Mellanox Technologies";
      const std::uint64_t guid = 0x10U + static_cast<std::uint64_t>(2 * n + r);
      builder.connect_host(builder.add_host({.name = name, .guid = guid, .port_guid = guid}), r, n + 1);
    }
  }
  builder.connect_host(builder.add_host({.name = "Mellanox Technologies Aggregation Node", .guid = 0x99}), 2,
                       5);
  builder.connect(0, 3, 2, 1);
  builder.connect(1, 3, 2, 2);
  return std::move(builder).finish();
}

TEST(WriteSlurmTopology, HoldsMachinesByOneRail) {
  const Topology topology = two_rails();
  const std::vector<Node> nodes = find_nodes(topology);
  EXPECT_EQ(write_slurm_topology(topology, nodes, "mlx5_1"),
            "SwitchName=leaf2 Nodes=n[1-2]\nSwitchName=spine Switches=leaf2\n");
  EXPECT_EQ(write_slurm_topology(topology, nodes, "HCA-1,mlx5_0"),
            "SwitchName=leaf1 Nodes=n[1-2]\nSwitchName=spine Switches=leaf1\n");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"",
       "node 'n1' hangs on 2 switches (leaf1 by mlx5_0, leaf2 by mlx5_1), and Slurm takes one; choose a rail "
       "(--rail mlx5_0)"},
      {"HCA-1", "no node on a leaf switch has a rail 'HCA-1'; the rails are mlx5_0, mlx5_1"},
  };
  for (const auto& [rail, expected] : cases) {
    EXPECT_EQ(refusal([&, &chosen = rail] { (void)write_slurm_topology(topology, nodes, chosen); }),
              expected);
  }
  const Topology strange = two_rails(false);
  EXPECT_TRUE(
      refusal([&] {
        (void)write_slurm_topology(strange);
      }).starts_with("host 'MT4129 ConnectX7   Mellanox Technologies' names no machine, which Slurm"));
}

TEST(ReadSlurmTopology, TakesAsManyCablesAsItIsTold) {
  const std::string text = "SwitchName=a Nodes=n[1-2]\nSwitchName=b Nodes=n3\nSwitchName=s Switches=a,b\n";
  EXPECT_EQ(read_slurm_topology(text, "conf").links(), 5);
  const Topology three = read_slurm_topology(text, "conf", 3);
  EXPECT_EQ(three.links(), 9);
  EXPECT_EQ(three.name(), "conf (taken: 3 cables a link)");
  EXPECT_EQ(three.switch_at(2).ports, 6);
  EXPECT_EQ(refusal([&] { (void)read_slurm_topology(text, "conf", 0); }),
            "0 cables a link; expected 1 to 1024");
}

TEST(ReadTopology, SaysWhichFormatItCannotRead) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "f:1: the file holds no fabric: it is empty; expected one of ibnetdiscover's output"},
      {"\n# x\nhello\n", "f:3: no known format of a fabric has this line: 'hello'; expected one of"},
      {"CA: n01 mlx5_0:\n", "f:1: expected ports with a cable as iblinkinfo prints them"},
      {"Unicast lids [0x0-0x3] of switch Lid 2 guid 0xa1 (s):\n",
       "f:1: expected a fabric, found forwarding tables"},
      {"\ndump_ucast_routes: Switch 0x1\n",
       "f:2: expected a fabric, found forwarding tables; read a topology first"},
      {"[\n  {\n    \"source_guid\": \"a1\",\n", "f:3: expected a fabric, found UFM's list of links"},
      {"[{\"links\": [{\"id\": \"A-*-B\"}]}]", "f:1: expected a fabric, found NetQ's topology graph"},
      {"infrastructure:\n  name: clos\n", "f:1: expected a fabric, found an InfraGraph"},
      {"Nodes 16\nTiers 3\nPodsize 4\n", "f:2: expected a fabric, found a file of htsim"},
      {"BlockName=b1 Nodes=n[1-2]\n", "f:1: expected a fabric, found topology.conf of blocks"},
      {"[{topology: t, tree: {}}]\n", "f:1: expected a fabric, found topology.yaml; sortlast.fabric.read"},
      {"START_NODES\n", "f:1: expected the columns of START_NODES, found the end of the file"},
      {"StartDevice,StartPort,EndDevice,EndPort\n", "f:1: expected a fabric, found UFM's planned topology"},
      {"graph g {\n", "f:1: expected a fabric, found topology.dot; sortlast.fabric.read"},
      {"\"lldp\": {\n", "f:1: expected a fabric, found LLDP neighbours of one node"},
      {"<system version=\"1\">\n", "f:1: expected a fabric, found a node's GPUs and adapters"},
      {"\tGPU0\tGPU1\tNIC0\n", "f:1: expected a fabric, found a node's GPUs and adapters"},
      {std::string(1 << 20, 'x'), "f:1: no known format of a fabric has this line: 'xxx"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&wrong = text] { (void)read_topology(wrong, "f"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
    EXPECT_LT(message.size(), 1200U);
  }
  EXPECT_EQ(format_of("---\n- cluster_default: true\n  'topology' : x\n"), "topology.yaml");
  EXPECT_EQ(format_of("apiVersion: v1\nitems:\n- kind: Node\n"), "labels of nodes");
  EXPECT_EQ(format_of("{\"instances\": [\n{\"network_layers\": []}]}"), "labels of nodes");
  EXPECT_EQ(format_of("switches:\n  s1: {}\n"), "NVIDIA topograph's model");
  EXPECT_EQ(format_of("hello"), "");
}

}  // namespace
}  // namespace sortlast::fabric
