// Packets on virtual lanes: latencies, conservation, freedom from deadlock, and what routings are good for.
#include "sortlast/simulate/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <regex>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

std::shared_ptr<const fabric::Topology> made(const std::string& name) {
  return std::make_shared<const fabric::Topology>(fabric::make_topology(name));
}

struct Case {
  const char* family;
  const char* routing;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.family << " " << each.routing; }

constexpr Case cases[] = {{"dragonfly:2,4,2,9", "minimal"},
                          {"dragonfly:2,4,2,9", "valiant"},
                          {"dragonfly:2,4,2,9", "ugal"},
                          {"dragonfly:1,4,1,3", "minimal"},
                          {"dragonfly:1,4,1,3", "valiant"},
                          {"dragonfly:1,4,1,3", "ugal"},
                          {"dragonfly+:2,2,2,2,5", "minimal"},
                          {"dragonfly+:2,2,2,2,5", "valiant"},
                          {"dragonfly+:2,2,2,2,5", "ugal"},
                          {"dragonfly+:1,3,2,3,4", "ugal"},
                          {"hyperx:3,4;2", "minimal"},
                          {"hyperx:3,4;2", "valiant"},
                          {"hyperx:3,4;2", "ugal"},
                          {"hyperx:3,2,3", "ugal"},
                          {"k-ary-n-tree:3,3", "ar-updn"},
                          {"k-ary-n-tree:3,3", "ar-ftree"},
                          {"pgft:3,4,3;1,2,2;1,2,1", "ar-updn"},
                          {"pgft:3,4,3;1,2,2;1,2,1", "ar-ftree"},
                          {"slender-tree:4,2,3", "ar-updn"},
                          {"slender-tree:4,2,3", "ar-ftree"},
                          {"k-ary-n-tree:3,2", "d-mod-k"},
                          {"torus:5,4", "lash"},
                          {"mesh:4,4", "dor"}};

class EveryRouting : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Lanes, EveryRouting, testing::ValuesIn(cases));

// Dally and Seitz: no circle in the dependencies of links' lanes.
TEST_P(EveryRouting, HasNoCircleOfWaits) {
  const LaneRoutes routes = lane_routes(made(GetParam().family), GetParam().routing);
  EXPECT_TRUE(find_lane_loop(routes).cycle.empty());
}

TEST_P(EveryRouting, DeliversAllToAllThroughTheSmallestBuffers) {
  const auto topology = made(GetParam().family);
  const LaneRoutes routes = lane_routes(topology, GetParam().routing);
  const Traffic traffic = all_to_all(topology->hosts(), 150);
  PacketOptions options;
  options.packet_phits = 4;
  options.buffer_packets = 1;
  const fabric::Placement placement = consecutive_hosts(*topology, topology->hosts());
  for (const std::int32_t spare : {0, 1, 3}) {
    const LaneOptions lanes{routes.classes + spare, 8};
    const PacketResult run = simulate_packets(routes, traffic, placement, options, lanes);
    const std::int64_t messages = std::int64_t{topology->hosts()} * (topology->hosts() - 1);
    EXPECT_EQ(run.messages, messages);
    EXPECT_EQ(run.packets, 3 * messages);
    EXPECT_EQ(run.delay.count(), run.packets);
    EXPECT_EQ(std::accumulate(run.link_loads.begin(), run.link_loads.end(), std::int64_t{0}),
              run.packet_hops);
    for (std::int32_t h = 0; h < topology->hosts(); ++h) {
      EXPECT_EQ(run.link_loads[static_cast<std::size_t>(h)], 3 * (topology->hosts() - 1));
    }
    const PacketResult again = simulate_packets(routes, traffic, placement, options, lanes);
    EXPECT_EQ(again.cycles, run.cycles);
    EXPECT_EQ(again.link_loads, run.link_loads);
  }
}

// The ways of the routing minimal on one lane: its circle is found, and packets do lock up.
TEST(Lanes, TooFewLanesHaveACircle) {
  class OneLane final : public fabric::Forwarding {
   public:
    explicit OneLane(std::shared_ptr<const fabric::Forwarding> of) : of_(std::move(of)) {}
    std::int32_t port(std::int32_t s, fabric::Vertex destination, std::int32_t plane) const override {
      return of_->port(s, destination, plane);
    }

   private:
    std::shared_ptr<const fabric::Forwarding> of_;
  };
  const auto topology = made("dragonfly:2,4,2,9");
  fabric::Routes minimal = fabric::route(topology, "minimal");
  minimal.forwarding = std::make_shared<OneLane>(minimal.forwarding);
  EXPECT_FALSE(find_lane_loop(lane_routes(minimal)).cycle.empty());
  EXPECT_FALSE(find_lane_loop(lane_routes(made("torus:5,4"), "dor")).cycle.empty());

  PacketOptions options;
  options.buffer_packets = 1;
  const LaneRoutes ring = lane_routes(made("torus:6"), "dor");
  Programs programs("round", 6);
  for (std::int32_t i = 0; i < 6; ++i) programs.send(i, (i + 2) % 6, 12800);
  const Traffic round = std::move(programs).finish();
  for (const std::int32_t lanes : {1, 2}) {
    try {
      simulate_packets(ring, round, consecutive_hosts(*ring.routes.topology, 6), options, {.lanes = lanes});
      FAIL() << "no deadlock";
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("wait for each other in a circle"), std::string::npos) << text;
      EXPECT_EQ(text.find("' lane ") != std::string::npos, lanes > 1) << text;
      EXPECT_EQ(text.find("or virtual lanes") == std::string::npos, lanes > 1) << text;
      // Each begins at the switch at which the one before ends.
      const std::regex named("'([^']*)' port \\d+ -> '([^']*)'");
      std::vector<std::smatch> circle;
      for (std::sregex_iterator at(text.begin(), text.end(), named); at != std::sregex_iterator(); ++at)
        circle.push_back(*at);
      ASSERT_EQ(circle.size(), 6U) << text;
      for (std::size_t i = 0; i < circle.size(); ++i)
        EXPECT_EQ(circle[i][2], circle[(i + 1) % circle.size()][1]) << text;
    }
  }
}

TEST(Lanes, OnePacketTakesAsLongAsWithoutLanes) {
  const auto topology = made("k-ary-n-tree:4,3");
  for (const char* routing : {"d-mod-k", "ar-ftree", "ar-updn"}) {
    const LaneRoutes routes = lane_routes(topology, routing);
    for (const std::int32_t s : {1, 3, 20}) {
      Programs programs("one", 64);
      programs.send(3, 60, 10);
      const Traffic traffic = std::move(programs).finish();
      PacketOptions options;
      options.switch_cycles = s;
      const PacketResult run =
          simulate_packets(routes, traffic, consecutive_hosts(*topology, 64), options, {2});
      EXPECT_EQ(run.delay.max(), 5 * s + 16) << routing;
      EXPECT_EQ(run.cycles, 5 * s + 17) << routing;
    }
  }
}

// Both engines draw other numbers, but the same model.
TEST(Lanes, OneLaneIsTheSwitchWithoutLanes) {
  const auto tree = made("k-ary-n-tree:4,3");
  const fabric::Placement all = consecutive_hosts(*tree, 64);
  const Traffic traffic = uniform(64, 640, 60, 5);
  const PacketResult lanes = simulate_packets(lane_routes(tree, "d-mod-k"), traffic, all, {}, {});
  const PacketResult plain = simulate_packets(fabric::route(tree, "d-mod-k"), traffic, all);
  EXPECT_EQ(lanes.packet_hops, plain.packet_hops);
  EXPECT_EQ(lanes.link_loads, plain.link_loads);
  EXPECT_NEAR(static_cast<double>(lanes.cycles), static_cast<double>(plain.cycles),
              0.05 * static_cast<double>(plain.cycles));
  const PacketResult adaptive = simulate_packets(lane_routes(tree, "ar-ftree"), traffic, all, {}, {});
  const PacketResult shortest = simulate_packets(*tree, traffic, all);
  EXPECT_EQ(adaptive.packet_hops, shortest.packet_hops);
  EXPECT_NEAR(static_cast<double>(adaptive.cycles), static_cast<double>(shortest.cycles),
              0.05 * static_cast<double>(shortest.cycles));
}

LoadResult at_load(const char* routing, double load, LoadTraffic traffic) {
  PacketOptions options;
  options.packet_phits = 1;
  options.buffer_packets = 32;
  LoadOptions asked;
  asked.load = load;
  asked.traffic = traffic;
  asked.warm_up = 1500;
  asked.measured = 2500;
  asked.drain = 2500;
  return simulate_load(lane_routes(made("dragonfly:2,4,2,9"), routing), asked, options, {});
}

TEST(Load, LittleTrafficArrivesAsSoonAsItCan) {
  for (const char* routing : {"minimal", "ugal"}) {
    const LoadResult run = at_load(routing, 0.02, LoadTraffic::uniform);
    EXPECT_NEAR(run.accepted, run.offered, 0.001);
    EXPECT_NEAR(run.offered, 0.02, 0.001);
    EXPECT_EQ(run.delay.count(), run.begun);
    // Of 71 other hosts one is on the same router (2 links), 6 in the group (3), and 64 in others, where a
    // way has a local hop at either end with probability 3/4: 3 + 3/2 links.
    EXPECT_NEAR(run.delay.mean(), (2 + 6 * 3 + 64 * 4.5) / 71, 0.15) << routing;
    EXPECT_GE(run.delay.min(), 2);
  }
}

// Kim et al. (2008): on minimal ways the a p hosts of a group share the one link to the next.
TEST(Load, ToTheNextGroupMinimalWaysShareOneLink) {
  const LoadResult minimal = at_load("minimal", 0.4, LoadTraffic::next_group);
  EXPECT_LE(minimal.accepted, 1.0 / 8);
  EXPECT_GE(minimal.accepted, 0.095);  // what arrives shares local links with what leaves
  EXPECT_LT(minimal.delay.count(), minimal.begun);
  EXPECT_GT(at_load("valiant", 0.4, LoadTraffic::next_group).accepted, 0.3);
  EXPECT_GT(at_load("ugal", 0.4, LoadTraffic::next_group).accepted, 0.3);
}

// By way of another group a packet crosses two global links where it would have crossed one.
TEST(Load, ValiantHalvesWhatUniformTrafficCanHave) {
  const double minimal = at_load("minimal", 1, LoadTraffic::uniform).accepted;
  const double valiant = at_load("valiant", 1, LoadTraffic::uniform).accepted;
  EXPECT_GT(minimal, 0.6);
  EXPECT_LT(valiant, 0.5);
  EXPECT_GT(at_load("ugal", 1, LoadTraffic::uniform).accepted, 1.2 * valiant);
}

TEST(Load, NothingBeginsAtLoadZero) {
  const LoadResult run = at_load("minimal", 0, LoadTraffic::uniform);
  EXPECT_EQ(run.begun, 0);
  EXPECT_EQ(run.accepted, 0);
  EXPECT_EQ(run.delay.count(), 0);
}

// A lane that is given to a packet whose input port sends others is lost for all: less arrives when ports are
// scarce, and the same when they are not.
TEST(Load, LanesThatAreGivenFirstLoseSomeOfTheThroughput) {
  const auto accepted = [](double offered, LaneAllocation allocation) {
    LoadOptions load;
    load.load = offered;
    return simulate_load(lane_routes(made("dragonfly:2,4,2,9"), "minimal"), load, {},
                         {.allocation = allocation})
        .accepted;
  };
  const double together = accepted(1, LaneAllocation::together),
               first = accepted(1, LaneAllocation::lane_first);
  EXPECT_LT(first, 0.98 * together);
  EXPECT_GT(first, 0.85 * together);
  EXPECT_NEAR(accepted(0.2, LaneAllocation::together), accepted(0.2, LaneAllocation::lane_first), 0.002);
}

// Every packet arrives, once, whichever way lanes are given.
TEST_P(EveryRouting, DeliversAllToAllWithLanesGivenFirst) {
  const auto topology = made(GetParam().family);
  const Traffic traffic = all_to_all(topology->hosts(), 64);
  const LaneRoutes routes = lane_routes(topology, GetParam().routing);
  PacketOptions options;
  options.buffer_packets = 1;
  for (const std::int32_t lanes : {routes.classes, 2 * routes.classes}) {
    const PacketResult run =
        simulate_packets(routes, traffic, consecutive_hosts(*topology, topology->hosts()), options,
                         {.lanes = lanes, .allocation = LaneAllocation::lane_first});
    EXPECT_EQ(run.messages, traffic.messages());
  }
}

// The next packet may lie beyond what counts in cycles.
TEST(Load, ATinyLoadEndsWithTheMeasurement) {
  for (const double load : {1e-30, 1e-11}) {
    const LoadResult run = at_load("minimal", load, LoadTraffic::uniform);
    EXPECT_EQ(run.begun, 0) << load;
    EXPECT_EQ(run.cycles, at_load("minimal", 0, LoadTraffic::uniform).cycles) << load;
  }
}

// Tables of a file may lack an entry for a host that nobody asked about before.
TEST(Load, NamesThePairWithoutAWay) {
  const auto tree = made("k-ary-n-tree:2,2");
  const fabric::Routes whole = fabric::route(tree, "d-mod-k");
  auto tables = std::make_shared<fabric::Tables>(*tree);
  for (std::int32_t s = 0; s < tree->switches(); ++s) {
    for (std::int32_t host = 0; host < 4; ++host) tables->set(s, host, whole.forwarding->port(s, host));
  }
  // Host 3 cannot reach host 1: its leaf has no entry. Those from and to host 0 are whole.
  const std::int32_t leaf = tree->switch_of(tree->attachment(3).vertex);
  tables->set(leaf, 1, fabric::Forwarding::unreachable);
  const LaneRoutes routes = lane_routes(fabric::Routes{tree, tables, "a file", "a file", ""});
  PacketOptions options;
  try {
    (void)simulate_load(routes, {.load = 0.5}, options, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no way leads from switch"), std::string::npos) << error.what();
  }
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Lanes, RefuseWhatCannotBe) {
  const auto dragonfly = made("dragonfly:2,4,2,9"), tree = made("k-ary-n-tree:2,2");
  const Traffic traffic = all_to_all(4, 64);
  const auto place = [](const fabric::Topology& on) { return consecutive_hosts(on, 4); };
  EXPECT_NE(message_of([&] {
              simulate_packets(lane_routes(dragonfly, "ugal"), traffic, place(*dragonfly), {}, {3});
            }).find("'ugal' needs 4 lanes"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              simulate_packets(lane_routes(tree, "ar-updn"), traffic, place(*tree), {}, {1000});
            }).find("lanes is 1000"),
            std::string::npos);
  EXPECT_NE(message_of([&] { lane_routes(tree, "valiant"); }).find("take an intact dragonfly"),
            std::string::npos);
  EXPECT_NE(message_of([&] { lane_routes(tree, "minimal"); }).find("refuses"), std::string::npos);
  EXPECT_NE(message_of([&] { lane_routes(dragonfly, "ar-ftree"); }).find("is no tree"), std::string::npos);
  EXPECT_NE(message_of([&] { lane_routes(tree, "ar-updn", {.roots = {99}}); }).find("root switch 99"),
            std::string::npos);
  EXPECT_NE(message_of([&] { lane_routes(tree, "nonsense"); }).find("ar-ftree"), std::string::npos);
  LoadOptions load;
  load.traffic = LoadTraffic::next_group;
  EXPECT_NE(
      message_of([&] { simulate_load(lane_routes(tree, "ar-ftree"), load, {}, {}); }).find("next group"),
      std::string::npos);
  load.load = std::nan("");
  EXPECT_NE(message_of([&] { simulate_load(lane_routes(tree, "ar-ftree"), load, {}, {}); }).find("load is"),
            std::string::npos);
  load.load = 0.5;
  PacketOptions options;
  options.progress = [](double) { return false; };
  load.traffic = LoadTraffic::uniform;
  EXPECT_THROW(simulate_load(lane_routes(tree, "ar-ftree"), load, options, {}), Error);
}

}  // namespace
}  // namespace sortlast::simulate
