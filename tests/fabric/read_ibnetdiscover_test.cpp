// ibnetdiscover's output and ibsim's netlists: what is read, what is refused, and that what we write comes
// back.
#include <gtest/gtest.h>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"
#include "sortlast/fabric/loads.hpp"
#include "sortlast/fabric/nodes.hpp"

namespace sortlast::fabric {
namespace {

using testing::canonical;
using testing::refusal;

// As ibnetdiscover prints it: an enhanced port 0, a chassis, an adapter with two ports and LMC 2, a router.
constexpr std::string_view discovered = R"(#
# Topology file: generated on Sun Nov 22 03:52:43 2026
#
# Initiated from node 0000000000000010 port 0000000000000011

vendid=0x2c9
devid=0xd2f2
sysimgguid=0xa0
switchguid=0xa1(a1)
Switch	36 "S-00000000000000a1"		# "leaf, 1:U1" enhanced port 0 lid 73 lmc 0
[1]	"H-0000000000000010"[1](11) 		# "n1 mlx5_0" lid 4 4xNDR
[2]	"H-0000000000000010"[2](12) 		# "n1 mlx5_0" lid 8 4xHDR
[36][ext 12]	"S-00000000000000a2"[1][ext 3]		# "spine" lid 5 2xNDR

vendid=0x2c9
switchguid=0xa2(a2)
Switch	4 "S-00000000000000a2"		# "spine" base port 0 lid 5 lmc 0
[1]	"S-00000000000000a1"[36]		# "leaf, 1:U1" lid 73 2xNDR
[4]	"R-0000000000000030"[1](31) 		# "gateway" lid 9 1xSDR s=1 w=1 v=8

caguid=0x10
Ca	2 "H-0000000000000010"		# "n1 mlx5_0"
[1](11) 	"S-00000000000000a1"[1]		# lid 4 lmc 2 "leaf, 1:U1" lid 73 4xNDR
[2](12) 	"S-00000000000000a1"[2]		# lid 8 lmc 2 "leaf, 1:U1" lid 73 4xHDR

rtguid=0x30
Rt	1 "R-0000000000000030"		# "gateway"
[1](31) 	"S-00000000000000a2"[4]		# lid 9 lmc 0 "spine" lid 5 1xSDR
)";

std::string replaced(std::string_view whole, const std::string& what, const std::string& with) {
  std::string text(whole);
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), with);
}

TEST(ReadIbnetdiscover, KnowsEverythingThatTheFileSays) {
  const Topology topology = read_ibnetdiscover(discovered, "net");
  EXPECT_EQ(topology.name(), "net");
  ASSERT_EQ(topology.hosts(), 3);
  ASSERT_EQ(topology.switches(), 2);
  EXPECT_EQ(topology.links(), 4);

  const Host& first = topology.host(0);
  EXPECT_EQ(first.name, "n1 mlx5_0");
  EXPECT_EQ(first.guid, 0x10U);
  EXPECT_EQ(first.port_guid, 0x11U);
  EXPECT_EQ(first.port, 1);
  EXPECT_EQ(first.lid, 4);
  EXPECT_EQ(first.lmc, 2);
  EXPECT_EQ(topology.host(1).guid, 0x10U);
  EXPECT_EQ(topology.host(1).port, 2);
  EXPECT_EQ(topology.host(2).name, "gateway");
  EXPECT_TRUE(topology.host(2).router);
  EXPECT_EQ(find_nodes(topology).size(), 1U);
  EXPECT_EQ(compute_hosts(topology), (std::vector<std::int32_t>{0, 1}));

  const Switch& leaf = topology.switch_at(0);
  EXPECT_EQ(leaf.name, "leaf, 1:U1");
  EXPECT_EQ(leaf.ports, 36);
  EXPECT_EQ(leaf.lid, 73);
  EXPECT_EQ(leaf.system_guid, 0xa0U);
  EXPECT_EQ(topology.switch_at(1).system_guid, 0U);
  EXPECT_EQ(topology.target(topology.channel(0, 36)), (End{topology.vertex_of_switch(1), 1}));
  EXPECT_EQ(topology.gbps(0), 400);
  EXPECT_EQ(topology.gbps(1), 200);
  EXPECT_EQ(topology.gbps(2), 2.5);
  EXPECT_EQ(topology.gbps(topology.channel(0, 36)), 200);
}

TEST(ReadIbnetdiscover, IsNotIrritatedByLineEnds) {
  const auto expected = canonical(read_ibnetdiscover(discovered, "net"));
  std::string dos;
  for (const char c : discovered) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(canonical(read_ibnetdiscover(dos, "net")), expected);
  EXPECT_EQ(canonical(read_ibnetdiscover(discovered.substr(0, discovered.size() - 1), "net")), expected);
}

TEST(ReadIbnetdiscover, ReadsTheTitlesOfChassis) {
  const std::string grouped =
      "\nChassis 1 (guid 0xa0)\n\n" +
      replaced(discovered, "switchguid=0xa1(a1)", "switchguid=0xa1(a1)\t# Chassis 1 Spine 1 Chip 1") +
      "\nNon-Chassis Nodes\n";
  EXPECT_EQ(canonical(read_ibnetdiscover(grouped, "net")), canonical(read_ibnetdiscover(discovered, "net")));
}

TEST(ReadIbnetdiscover, ReadsLinksThatOneSideTells) {
  const Topology both = read_ibnetdiscover(discovered, "net");
  const Topology one = read_ibnetdiscover(
      replaced(discovered, "[36][ext 12]\t\"S-00000000000000a2\"[1][ext 3]\t\t# \"spine\" lid 5 2xNDR\n", ""),
      "net");
  EXPECT_EQ(canonical(one), canonical(both));
}

TEST(ReadIbnetdiscover, ReadsNetlistsWrittenByHand) {
  const Topology topology = read_ibnetdiscover(
      "# the smallest fabric\nSwitch 8 \"Switch1\"\n[1] \"Hca1\"[1] w=4 s=7\n[2] \"Hca2\"[2]\n\n"
      "Hca 2 \"Hca1\"\n[1] \"Switch1\"\n\nHca 2 \"Hca2\"\n[2] \"Switch1\"[2] # twice as wide w=12\n",
      "net");
  ASSERT_EQ(topology.hosts(), 2);
  EXPECT_EQ(topology.host(1).name, "Hca2");
  EXPECT_EQ(topology.host(1).port, 2);
  EXPECT_NE(topology.host(0).guid, topology.host(1).guid);
  EXPECT_NE(topology.host(0).guid, 0U);
  EXPECT_EQ(topology.attachment(1), (End{topology.vertex_of_switch(0), 2}));
}

struct Refused {
  const char* what;
  std::string text;
  std::string message;
};

TEST(ReadIbnetdiscover, SaysWhatIsWrongAndWhere) {
  const std::string leaf = "switchguid=0xa1\nSwitch 4 \"S-a1\"\n";
  const std::string adapter = "\ncaguid=0x10\nCa 1 \"H-10\"\n[1] \"S-a1\"[1]\n";
  const std::vector<Refused> cases{
      {"empty", "", "net:1: expected records of switches and adapters, found none"},
      {"prose", "hello\n", "net:1: expected a record of a node (Switch, Ca, Hca, Rt), found 'hello'"},
      {"huge switch", "Switch 2000000000 \"S-1\"\n",
       "net:1: expected the number of ports (1 to 254), found '2000000000 \"S-1\"'"},
      {"no number", "\nSwitch many \"S-1\"\n", "net:2: expected the number of ports (1 to 254), found 'many"},
      {"beyond 64 bits", "Switch 99999999999999999999 \"S-1\"\n", "net:1: expected the number of ports"},
      {"no quotes", "Switch 4 S-1\n", "net:1: expected the node's identifier in double quotes, found 'S-1'"},
      {"open quotes", "Switch 4 \"S-1\n", "net:1: expected the node's identifier in double quotes"},
      {"no identifier", "Switch 4 \"\"\n",
       "net:1: expected the node's identifier between the quotes, found nothing"},
      {"words behind", "Switch 4 \"S-1\" base\n", "net:1: expected the end of the line, found 'base'"},
      {"guid", "switchguid=here\n", "net:1: expected a GUID in hex, found 'here'"},
      {"guid twice", "switchguid=0x1(1\n", "net:1: expected ')', found the end of the line"},
      {"port 0", leaf + "[0] \"S-a2\"[1]\n", "net:3: expected a port of this node (1 to 4), found '0]"},
      {"port 5", leaf + "[5] \"S-a2\"[1]\n", "net:3: expected a port of this node (1 to 4), found '5]"},
      {"bracket", leaf + "[1 \"S-a2\"[1]\n", "net:3: expected ']', found '\"S-a2\"[1]'"},
      {"no far end", leaf + "[1]\n", "net:3: expected the identifier of what the cable leads to"},
      {"far port", leaf + "[1] \"S-a2\"[999]\n", "net:3: expected a port (1 to 254), found '999]'"},
      {"words", leaf + "[1] \"S-a2\"[1] to spine\n", "net:3: expected options (w=4) or a comment"},
      {"between", leaf + "port 1\n", "net:3: expected a port ([N] \"...\"[M]), found 'port 1'"},
      {"after a blank", leaf + "\n[1] \"H-10\"[1]\n", "net:4: expected a record of a node"},
      {"LID", leaf + "[1] \"H-10\"[1] # \"x\" lid 99999999999\n", "net:3: expected a LID (0 to 16777215)"},
      {"LMC", "Ca 1 \"H-10\"\n[1] \"S-a1\"[1] # lid 4 lmc 8\n", "net:2: expected an LMC (0 to 7), found '8'"},
      {"twice", leaf + "[1] \"H-10\"[1]\n[1] \"H-10\"[1]\n",
       "net:4: port 1 of 'S-a1' has a cable already, on line 3"},
      {"no record", leaf + "[1] \"H-10\"[1]\n",
       "net:3: port 1 of 'S-a1' leads to 'H-10', which has no record in this file"},
      {"no such port", leaf + "[1] \"H-10\"[2]\n" + adapter,
       "net:3: port 1 of 'S-a1' leads to port 2 of 'H-10', which has 1"},
      {"contradiction", leaf + "[2] \"H-10\"[1]\n" + adapter, "but line "},
      {"back to back", "Ca 1 \"H-10\"\n[1] \"H-20\"[1]\n\nCa 1 \"H-20\"\n",
       "net:2: port 1 of 'H-10' leads to port 1 of 'H-20': adapters must hang on switches here"},
      {"two records", leaf + "\n" + leaf, "net:5: a second record of 'S-a1'; the first is on line 2"},
      {"two kinds", "Ca 1 \"H-10\"\n\nRt 1 \"H-10\"\n",
       "net:3: a second record of 'H-10'; the first is on line 1"},
      {"two of a GUID", leaf + "\nswitchguid=0xa1\nSwitch 4 \"S-b\"\n",
       "net:5: 'S-b' has the GUID of another node"},
      {"two LIDs", leaf + "[1] \"H-10\"[1] # \"h\" lid 3\n\nCa 1 \"H-10\"\n[1] \"S-a1\"[1] # lid 4 lmc 0\n",
       "port 1 of 'H-10' has LID "},
      {"two port GUIDs", leaf + "[1] \"H-10\"[1](11)\n\nCa 1 \"H-10\"\n[1](12) \"S-a1\"[1]\n",
       "port 1 of 'H-10' has another port GUID"},
  };
  for (const Refused& refused : cases) {
    const std::string message = refusal([&] { (void)read_ibnetdiscover(refused.text, "net"); });
    EXPECT_NE(message.find(refused.message), std::string::npos) << refused.what << ": " << message;
    EXPECT_TRUE(message.starts_with("net:")) << message;
  }
}

// A file that was cut off, or has a line too few, either makes sense or is refused: never anything else.
TEST(ReadIbnetdiscover, SurvivesDamage) {
  int read = 0;
  for (std::size_t length = 0; length < discovered.size(); ++length) {
    try {
      read += read_ibnetdiscover(discovered.substr(0, length), "net").switches() > 0;
    } catch (const ArgumentError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("net:")) << error.what();
    }
  }
  EXPECT_GT(read, 0);
}

TEST(ReadIbnetdiscover, ReadsWhatWeWrite) {
  for (const char* family : {"crossbar:5", "k-ary-n-tree:3,3", "pgft:4,3;1,2;1,2", "thin-tree:4,2,3",
                             "slender-tree:4,2,3", "torus:3,3", "mesh:2,3,2"}) {
    const Topology built = make_topology(family);
    EXPECT_EQ(canonical(read_ibnetdiscover(write_ibsim(built), family)), canonical(built)) << family;
    const Topology named = assign_lids(built);
    EXPECT_EQ(canonical(read_ibnetdiscover(write_ibnetdiscover(named), family)), canonical(named)) << family;
  }
  const Topology odd = read_ibnetdiscover(discovered, "net");
  EXPECT_EQ(canonical(read_ibnetdiscover(write_ibnetdiscover(odd), "again")), canonical(odd));
}

TEST(WriteIbsim, RefusesWhatANetlistCannotHold) {
  const auto with = [](const Host& host, const Switch& on) {
    return refusal([&] {
      TopologyBuilder builder("odd");
      builder.connect_host(builder.add_host(host), builder.add_switch(on), 1);
      (void)write_ibsim(std::move(builder).finish());
    });
  };
  EXPECT_NE(with({.name = "h"}, {.name = "s", .guid = 1, .ports = 1}).find("'h' has no GUID"),
            std::string::npos);
  EXPECT_NE(with({.name = "h", .guid = 1}, {.name = "s", .ports = 1}).find("'s' has no GUID"),
            std::string::npos);
  EXPECT_NE(with({.name = "h", .guid = 1}, {.name = "s", .guid = 1, .ports = 1}).find("of its own"),
            std::string::npos);
  EXPECT_NE(with({.name = "a\"b", .guid = 1}, {.name = "s", .guid = 2, .ports = 1}).find("quote"),
            std::string::npos);
  EXPECT_NE(with({.name = "a\nb", .guid = 1}, {.name = "s", .guid = 2, .ports = 1}).find("control"),
            std::string::npos);
  EXPECT_NE(with({.name = "h", .guid = 1}, {.name = "s", .guid = 2, .ports = 255}).find("255 ports"),
            std::string::npos);
}

TEST(ReadIbnetdiscover, SkipsTheMessagesOfToolsAndCountsFailures) {
  const std::string text(discovered);
  const auto expected = canonical(read_topology(text, "net"));
  const std::string query =
      "query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1,1,31 Attr 0x11:0) bad status 110\n";
  for (const std::string& failure :
       {"src/" + query, "../libibnetdisc/" + query, "/usr/src/rpm/BUILD/rdma-core-48.0/libibnetdisc/" + query,
        std::string("ibwarn: [4711] mad_rpc: _do_madrpc failed\n"),
        std::string("ibpanic: [4711] main: none\n")}) {
    const std::size_t middle = text.find("00a2\"[1][ext 3]");  // within a line, before a digit
    for (const std::size_t at : {std::size_t{0}, text.find("Switch"), middle, text.find('\n', middle)}) {
      const Topology topology = read_topology(std::string(text).insert(at, failure), "net");
      EXPECT_EQ(canonical(topology), expected) << failure << at;
      EXPECT_EQ(topology.name(), "net (may lack nodes: 1 message of failed queries)");
    }
  }
  for (const char* harmless :
       {"ibwarn: [99] sim_connect: attached as client 1 at node \"sw1\"\n",
        "DR path slid 0; dlid 0; 0,1 -> new remote switch {a1} portnum 0 lid 3-3\"leaf\"\n",
        "[root@head ~]# ibnetdiscover -s | tee net\n", "$ sudo ibnetdiscover\n"}) {
    EXPECT_EQ(read_topology(harmless + text + "\n[root@head ~]# \n", "net").name(), "net") << harmless;
  }
}

// The format of ibnetdiscover -p, below the prompt at which it was typed.
TEST(ReadPortReport, SkipsThePromptAndTakesAnyDescription) {
  const std::string report =
      "CA  1  1 0x11 4x HDR - SW  5  3 0xa1 ( 'n01 \"old\"' - 'leaf' )\n"
      "CA  2  1 0x12 4x HDR - SW  5  4 0xa1 ( 'n02' - 'leaf' )\n"
      "SW  5  3 0xa1 4x HDR - CA  1  1 0x11 ( 'leaf' - 'n01 \"old\"' )\n"
      "SW  5  4 0xa1 4x HDR - CA  2  1 0x12 ( 'leaf' - 'n02' )\n";
  for (const char* prompt : {"", "[root@head ~]# ibnetdiscover -p\n", "\n$ sudo ibnetdiscover -p\n",
                             "head:/root# ibnetdiscover -p\n", "# of the cluster\n[root@head ~]# ./net\n"}) {
    const Topology topology = read_topology(prompt + report, "net");
    ASSERT_EQ(topology.hosts(), 2) << prompt;
    EXPECT_EQ(topology.host(0).name, "n01 \"old\"");
    EXPECT_EQ(topology.links(), 2);
  }
}

TEST(ReadIbnetdiscover, ALoopbackPlugIsAPortWithoutACable) {
  const std::string with =
      replaced(discovered, "[36][ext 12]", "[7]\t\"S-00000000000000a1\"[7]\t\t# \"leaf\"\n[36][ext 12]");
  EXPECT_EQ(canonical(read_topology(with, "net")), canonical(read_topology(discovered, "net")));
}

// An adapter with a port in each of two subnets has a record in the output of each.
TEST(ReadIbnetdiscover, TwoSubnetsShareAnAdapter) {
  const auto subnet = [](const std::string& leaf, const std::string& port) {
    return "switchguid=0x" + leaf + "\nSwitch 4 \"S-" + leaf + "\" # \"" + leaf + "\" lid 1\n[1] \"H-10\"[" +
           port + "](1" + port +
           ") # \"n1 mlx5_0\" lid 2 4xHDR\n\ncaguid=0x10\nCa 2 \"H-10\" # \"n1 mlx5_0\"\n[" + port + "](1" +
           port + ") \"S-" + leaf + "\"[1] # lid 2 lmc 0 \"" + leaf + "\" lid 1 4xHDR\n\n";
  };
  const auto both =
      std::make_shared<const Topology>(read_topology(subnet("a1", "1") + subnet("a2", "2"), "net"));
  ASSERT_EQ(both->hosts(), 2);
  EXPECT_EQ(find_nodes(*both).front().adapters.size(), 2U);
  // LIDs are unique within a subnet: each switch's table is about its own.
  const Routes routes = read_routes(both,
                                    "Unicast lids [1-2] of switch Lid 1 guid 0xa1:\n0x2 1\nUnicast lids "
                                    "[1-2] of switch Lid 1 guid 0xa2:\n0x2 1\n",
                                    "lft");
  EXPECT_EQ(routes.forwarding->port(0, 0), 1);
  EXPECT_EQ(routes.forwarding->port(1, 1), 1);
  EXPECT_EQ(routes.forwarding->port(0, 1), Forwarding::unreachable);
  EXPECT_NE(refusal([&] {
              (void)read_counters(*both, "# Port extended counters: Lid 2 port 1\nPortXmitData:1\n", "c");
            }).find("c:1: several nodes of the fabric have LID 2"),
            std::string::npos);
}

TEST(ReadIbnetdiscover, TrimsNames) {
  const std::string padded = replaced(discovered, "# \"n1 mlx5_0\"\n", "# \"  n1 mlx5_0 \"\n");
  EXPECT_EQ(canonical(read_topology(padded, "net")), canonical(read_topology(discovered, "net")));
}

// Ports take memory, and a line of a few characters may claim 254 of them.
TEST(ReadIbnetdiscover, RefusesSwitchesOfManyPortsWithoutCables) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "Switch 254 \"S" + std::to_string(i) + "\"\n";
  EXPECT_NE(refusal([&] {
              (void)read_topology(text, "net");
            }).find("net:4129: the switches up to this one have 1048766 ports"),
            std::string::npos);
}

TEST(ReadPortReport, HoldsWhatIbnetdiscoverPrintsWithTheOptionP) {
  const std::string text =
      "SW     5  2 0x00000000000000a2 4x SDR                                     'spine'\n"
      "SW     5  1 0x00000000000000a2 2x NDR - SW    73 36 0x00000000000000a1 ( 'spine' - 'leaf' )\n"
      "SW    73 36 0x00000000000000a1 2x NDR - SW     5  1 0x00000000000000a2 ( 'leaf' - 'spine' )\n"
      "SW    73  1 0x00000000000000a1 4x NDR - CA     4  1 0x0000000000000011 ( 'leaf' - 'n1 mlx5_0' )\n"
      "CA     4  1 0x0000000000000011 4x NDR - SW    73  1 0x00000000000000a1 ( 'n1 mlx5_0' - 'leaf' )\n";
  const Topology topology = read_topology(text, "ports");
  ASSERT_EQ(topology.hosts(), 1);
  ASSERT_EQ(topology.switches(), 2);
  EXPECT_EQ(topology.links(), 2);
  EXPECT_EQ(topology.host(0).name, "n1 mlx5_0");
  EXPECT_EQ(topology.host(0).lid, 4);
  EXPECT_EQ(topology.host(0).port_guid, 0x11U);
  EXPECT_EQ(topology.gbps(0), 400);
  EXPECT_EQ(topology.switch_at(0).name, "spine");
  EXPECT_EQ(topology.switch_at(0).ports, 2);
  EXPECT_EQ(topology.switch_at(1).lid, 73);
  EXPECT_EQ(topology.target(topology.channel(1, 36)), (End{topology.vertex_of_switch(0), 1}));
  for (std::size_t length = 1; length < text.size(); ++length) {
    try {
      (void)read_topology(text.substr(0, length), "ports");
    } catch (const ArgumentError& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("ports:")) << error.what();
    }
  }
}

}  // namespace
}  // namespace sortlast::fabric
