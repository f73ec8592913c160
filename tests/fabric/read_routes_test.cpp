// Forwarding tables: three forms of the same dump, LIDs that only the dump knows, several LIDs a host, and
// what is refused.
#include <gtest/gtest.h>

#include "canonical.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/files.hpp"

namespace sortlast::fabric {
namespace {

using testing::refusal;

// Hosts "x" and "y" on switches "a" and "b", which port 4 of both connects.
std::shared_ptr<const Topology> line(bool lids, std::int32_t lmc = 0) {
  TopologyBuilder builder("line");
  for (std::int32_t i = 0; i < 2; ++i) {
    const auto guid = static_cast<std::uint64_t>(0x10) * static_cast<std::uint64_t>(i + 1);
    builder.add_host({.name = i == 0 ? "x" : "y",
                      .guid = guid,
                      .port_guid = guid + 1,
                      .lid = lids ? 8 * (i + 1) : 0,
                      .lmc = lids ? lmc : 0});
    builder.add_switch({.name = i == 0 ? "a" : "b",
                        .guid = static_cast<std::uint64_t>(0xa0 + i),
                        .ports = 4,
                        .lid = lids ? 3 + i : 0});
    builder.connect_host(i, i, 1);
  }
  builder.connect(0, 4, 1, 4);
  return std::make_shared<Topology>(std::move(builder).finish());
}

constexpr std::string_view lfts = R"(Unicast lids [0-16] of switch Lid 3 guid 0x00000000000000a0 ('a'):
0x0003 000 # Switch portguid 0x00000000000000a0: 'a'
0x0004 004 # Switch portguid 0x00000000000000a1: 'b'
0x0008 001 # Channel Adapter portguid 0x0000000000000011: 'x'
0x0010 004 # Channel Adapter portguid 0x0000000000000021: 'y'
0x0011 004 # unknown node and type
16 lids dumped
Unicast lids [0-16] of switch Lid 4 guid 0x00000000000000a1 ('b'):
0x0003 004 # Switch portguid 0x00000000000000a0: 'a'
0x0004 000 # Switch portguid 0x00000000000000a1: 'b'
0x0008 004 # Channel Adapter portguid 0x0000000000000011: 'x'
0x0010 001 # Channel Adapter portguid 0x0000000000000021: 'y'
16 lids dumped
)";

constexpr std::string_view fts =
    R"(Unicast lids [0x0-0x10] of switch DR path slid 0; dlid 0; 0,1 guid 0x00000000000000a0 (a):
  Lid  Out   Destination
       Port     Info 
0x0000 255 : (path #0 - illegal port)
0x0003 000 : (Switch portguid 0x00000000000000a0: 'a')
0x0004 004 : (Switch portguid 0x00000000000000a1: 'b')
0x0008 001 : (Channel Adapter portguid 0x0000000000000011: 'x')
0x0010 004 : (Channel Adapter portguid 0x0000000000000021: 'y')
4 valid lids dumped 

Unicast lids [0x0-0x10] of switch Lid 4 guid 0x00000000000000a1 (b):
  Lid  Out   Destination
       Port     Info 
0x0003 004 : (Switch portguid 0x00000000000000a0: 'a')
0x0004 000 : (Switch portguid 0x00000000000000a1: 'b')
0x0008 004 : (Channel Adapter portguid 0x0000000000000011: 'x')
0x0010 001 : (Channel Adapter portguid 0x0000000000000021: 'y')
4 valid lids dumped 
)";

constexpr std::string_view fdbs = R"(dump_ucast_routes: Switch 0x00000000000000a0
LID    : Port : Hops : Optimal
0x0001 : UNREACHABLE
0x0003 : 000  : 00   : yes
0x0004 : 004  : 01   : yes
0x0008 : 001  : 01   : yes
0x0010 : 004  : 02   : No 1 hop path possible via port 2!
dump_ucast_routes: Switch 0x00000000000000a1
LID    : Port : Hops : Optimal
0x0003 : 004  : HOPS UNKNOWN
0x0004 : 000  : 00   : yes
0x0008 : 004  : 02   : yes
0x0010 : 001  : 01   : yes
)";

// As ibdiagnet writes it.
std::string fdbs_of_ibdiagnet(const std::string& table) {
  std::string text = "# This file was made by a tool\n\n" + std::string(fdbs);
  for (std::size_t at = text.find("dump_ucast"); at != text.npos; at = text.find("dump_ucast", at + 16)) {
    text.insert(at, "osm_ucast_mgr_");
    text.insert(text.find('\n', at) + 1, "PLFT_NUM: " + table + "\n");
  }
  return text;
}

void expect_tables(const Routes& routes) {
  const std::int32_t expected[2][4] = {{1, 4, 0, 4}, {4, 1, 4, 0}};
  for (std::int32_t s = 0; s < 2; ++s) {
    for (Vertex v = 0; v < 4; ++v) EXPECT_EQ(routes.forwarding->port(s, v), expected[s][v]) << s << " " << v;
  }
}

TEST(ReadRoutes, ReadsEveryFormOfADump) {
  for (const std::string_view text : {lfts, fts, fdbs}) {
    const Routes routes = read_routes(line(true), text, "dump");
    EXPECT_EQ(routes.engine, "dump");
    EXPECT_EQ(routes.fallback, "");
    expect_tables(routes);
    EXPECT_EQ(walk(routes, 0, 1).size(), 3U);
  }
}

TEST(ReadRoutes, ReadsTheTablesOfIbdiagnet) {
  expect_tables(read_routes(line(true), fdbs_of_ibdiagnet("0"), "dump"));
  EXPECT_EQ(
      refusal([] { (void)read_routes(line(true), fdbs_of_ibdiagnet("1"), "dump"); }),
      "dump:4: expected one table for each switch (PLFT_NUM: 0), found private table 1; its routes depend "
      "on the service level");
}

TEST(ReadRoutes, SkipsTheMessagesOfTools) {
  const std::string text = "ibwarn: [99] _do_madrpc: recv failed\n[root@head ~]# dump_fts\n" +
                           std::string(fts) + "./libibnetdisc/query_smp.c:197; umad bad status 110\n";
  const Routes routes = read_routes(line(true), text, "dump");
  expect_tables(routes);
  EXPECT_EQ(routes.engine, "dump (may lack tables: 2 messages of failed queries)");
}

TEST(ReadRoutes, LearnsLidsFromADumpThatNamesPorts) {
  expect_tables(read_routes(line(false), lfts, "dump"));
  expect_tables(read_routes(line(false), fts, "dump"));
  expect_tables(read_routes(line(false), "[root@head ~]# dump_fts\n" + std::string(fts), "dump"));
  EXPECT_EQ(refusal([] { (void)read_routes(line(false), fdbs, "dump"); }),
            "dump:4: LID 3 belongs to no vertex of line; read a topology with LIDs (ibnetdiscover) of the "
            "same time "
            "as these tables");
}

// Four LIDs a host: a plane each. Switches have one, which serves all planes.
TEST(ReadRoutes, ReadsAPlaneForEachLid) {
  const std::string head = "Unicast lids [0-19] of switch Lid 3 guid 0xa0 ('a'):\n0x0004 2\n";
  std::string plain = head, named = head;
  named.insert(named.size() - 1, " # Switch portguid 0xa1: 'b'");
  for (int plane = 0; plane < 4; ++plane) {
    const std::string entry = "0x001" + std::to_string(plane) + " " + std::to_string(1 + plane);
    plain += entry + "\n";
    named += entry + " # Channel Adapter portguid 0x0000000000000021: 'y'\n";
  }
  for (const Routes& routes :
       {read_routes(line(true, 2), plain, "dump"), read_routes(line(false), named, "dump")}) {
    EXPECT_EQ(routes.forwarding->planes(), 4);
    for (std::int32_t plane = 0; plane < 4; ++plane) {
      EXPECT_EQ(routes.forwarding->port(0, 1, plane), 1 + plane);
      EXPECT_EQ(routes.forwarding->port(0, 3, plane), 2);
      EXPECT_EQ(routes.forwarding->port(1, 0, plane), Forwarding::unreachable);
    }
  }
}

TEST(ReadRoutes, SaysWhatIsWrongAndWhere) {
  const std::string head = "Unicast lids [0-16] of switch Lid 3 guid 0xa0 ('a'):\n";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "dump:1: expected 'Unicast lids ... of switch ... guid 0x...', found no table"},
      {"hello\n", "dump:1: expected 'Unicast lids ... of switch ... guid 0x...', or an entry"},
      {"Multicast mlids [0xc000]\n", "dump:1: expected 'Unicast lids"},
      {"0x0003 1\n", "dump:1: an entry before the first table"},
      {"Unicast lids [0-16] of switch Lid 3\n", "dump:1: expected 'guid 0x...' of the switch"},
      {"Unicast lids of switch guid 0xff\n", "dump:1: no switch of line has the GUID that begins this table"},
      {head + "0x0008\n", "dump:2: expected a port (0 to 255), found the end of the line"},
      {head + "0x0008 300\n", "dump:2: expected a port (0 to 255), found '300'"},
      {head + "0x0008 5\n", "dump:2: expected a port of 'a' (0 to 4), found 5"},
      {head + "0xFFFFFFFFFF 1\n", "dump:2: LID 1099511627775 is too large"},
      {head + "0x0009 1\n", "dump:2: LID 9 belongs to no vertex of line"},
      {head + "0x0008 1\n0x0008 2\n", "dump:3: a second entry of LID 8, by port 2; the first says port 1"},
      {head + "0x0008 1 # Channel Adapter portguid 0x21: 'y'\n",
       "dump:2: LID 8 is 'y' here and 'x' in line; are both of the same time?"},
  };
  for (const auto& [text, expected] : cases) {
    const std::string message = refusal([&, &wrong = text] { (void)read_routes(line(true), wrong, "dump"); });
    EXPECT_TRUE(message.starts_with(expected)) << message;
  }
}

TEST(WriteLfts, ComesBackTheSame) {
  const auto topology = std::make_shared<Topology>(assign_lids(make_topology("k-ary-n-tree:3,2")));
  auto tables = std::make_shared<Tables>(*topology);
  for (std::int32_t s = 0; s < topology->switches(); ++s) {
    for (Vertex v = 0; v < topology->vertices(); ++v) {
      if ((s + v) % 7 != 0) tables->set(s, v, (s * 5 + v) % (topology->switch_at(s).ports + 1));
    }
  }
  const Routes written{topology, tables, "made up", "made up", ""};
  const Routes back = read_routes(topology, write_lfts(written), "tables");
  for (std::int32_t s = 0; s < topology->switches(); ++s) {
    for (Vertex v = 0; v < topology->vertices(); ++v) {
      EXPECT_EQ(back.forwarding->port(s, v), tables->port(s, v));
    }
  }
}

TEST(WriteLfts, WritesEveryPlaneUnderALidOfItsOwn) {
  const auto topology = line(true, 1);
  auto tables = std::make_shared<Tables>(*topology, 2);
  tables->set(0, 1, 2, 0);
  tables->set(0, 1, 4, 1);
  const std::string text = write_lfts({topology, tables, "", "", ""});
  EXPECT_EQ(text.substr(0, text.find("2 lids dumped")),
            "Unicast lids [0-17] of switch Lid 3 guid 0x00000000000000a0 ('a'):\n"
            "0x0010 002 # Channel Adapter portguid 0x0000000000000021: 'y'\n"
            "0x0011 004 # Channel Adapter portguid 0x0000000000000021: 'y'\n");
}

TEST(WriteLfts, RefusesTablesThatOpenSmCouldNotLoad) {
  const auto written = [](const std::shared_ptr<const Topology>& topology, std::int32_t planes) {
    return refusal(
        [&] { (void)write_lfts({topology, std::make_shared<Tables>(*topology, planes), "", "", ""}); });
  };
  EXPECT_EQ(written(line(false), 1), "'x' has no LID; assign LIDs first");
  EXPECT_EQ(written(line(true), 2),
            "'x' has 1 LIDs (LMC 0) and the routes 2 planes; each needs a LID of its own");
}

TEST(AssignLids, KeepsLidsAndGivesTheLowestFreeOnes) {
  TopologyBuilder builder("mixed");
  const std::int32_t s = builder.add_switch({.name = "s", .guid = 1, .ports = 4}, 1);
  const Host hosts[] = {
      {.name = "a"}, {.name = "b", .lid = 2}, {.name = "c", .lmc = 2}, {.name = "d", .lmc = 2}};
  std::int32_t port = 0;
  for (const Host& host : hosts) builder.connect_host(builder.add_host(host), s, ++port, 100);
  const Topology given = std::move(builder).finish();
  const Topology named = assign_lids(given);
  EXPECT_EQ(named.host(0).lid, 1);
  EXPECT_EQ(named.host(1).lid, 2);
  EXPECT_EQ(named.host(2).lid, 4);
  EXPECT_EQ(named.host(3).lid, 8);
  EXPECT_EQ(named.switch_at(0).lid, 3);
  EXPECT_EQ(named.level(0), 1);
  EXPECT_EQ(named.gbps(0), 100);
  EXPECT_EQ(testing::canonical(named, false).size(), testing::canonical(given, false).size());
}

// One host of many LIDs must not make a large fabric's tables so many times as large.
TEST(ReadRoutes, BoundsPlanesThatFewEntriesAskFor) {
  const auto large = std::make_shared<const Topology>(make_topology("rlft:36,3"));
  std::string text = "Unicast lids [0-99] of switch Lid 1 guid 0x0000000020100000 ('sw-L1-0000'):\n";
  for (int lid = 10; lid < 74; ++lid) {
    text +=
        "0x00" + std::to_string(lid) + " 001 # Channel Adapter portguid 0x0000000010000001: 'host00000'\n";
  }
  const std::string message = refusal([&] { (void)read_routes(large, text, "dump"); });
  EXPECT_TRUE(message.starts_with("dump:1: expected tables of at most 268435456 entries")) << message;
}

}  // namespace
}  // namespace sortlast::fabric
