// The packet simulator by itself: latencies, conservation, bounds, determinism, symmetry, what it reports.
#include "sortlast/simulate/packet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/fabric/topology.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

Traffic one_message(std::int32_t tasks, std::int32_t from, std::int32_t to, std::int64_t bytes) {
  Programs programs("one", tasks);
  programs.send(from, to, bytes);
  return std::move(programs).finish();
}

PacketResult simulate(const fabric::Topology& topology, const Traffic& traffic,
                      const PacketOptions& options = {}, std::int32_t first_host = 0) {
  return simulate_packets(topology, traffic, consecutive_hosts(topology, traffic.tasks, first_host), options);
}

TEST(Packet, OnePacketOverHPairsOfLinksTakes2hPlus15Cycles) {
  const fabric::Topology topology = fabric::make_topology("thin-tree:4,2,4");
  std::int32_t distance = 1;
  for (std::int64_t h = 1; h <= 4; ++h, distance *= 4) {
    const PacketResult run = simulate(topology, one_message(256, 0, distance, 10));
    EXPECT_EQ(run.delay.max(), 2 * h + 15);
    EXPECT_EQ(run.cycles, 2 * h + 16);
    EXPECT_EQ(run.packet_hops, 2 * h);
  }
}

TEST(Packet, PacketsOfALongMessageFollowEachOther) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:4,3");
  for (const std::int64_t packets : {1, 2, 7, 100, 1563}) {
    const PacketResult run = simulate(topology, one_message(64, 3, 60, 64 * packets - 5));
    EXPECT_EQ(run.packets, packets);
    EXPECT_EQ(run.cycles, 16 * packets + 6);
  }
}

// A head takes s cycles at each of 2h - 1 switches; the packets behind it lose nothing more.
TEST(Packet, SwitchCyclesDelayAHeadAndNoPacketBehindIt) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:4,3");
  for (const std::int64_t s : {1, 2, 3, 8, 16}) {
    PacketOptions options;
    options.switch_cycles = static_cast<std::int32_t>(s);
    for (const std::int64_t packets : {1, 2, 7, 100}) {
      const PacketResult run = simulate(topology, one_message(64, 3, 60, 64 * packets), options);
      EXPECT_EQ(run.cycles, 5 * s + 16 * packets + 1) << s;
    }
  }
}

// Hosts 0 and 1 of a leaf switch with two ports up send a packet each. Both find both ports empty, and in
// half of the runs draw the same one. Who loses it takes the other port in the next cycle; with persistent
// requests it waits 16 cycles until the packet in front has left.
TEST(Packet, PersistentRequestsStayWithThePortThatWasDrawn) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:2,2");
  Programs programs("two", 4);
  programs.send(0, 2, 64);
  programs.send(1, 3, 64);
  const Traffic traffic = std::move(programs).finish();
  for (const auto& [requests, slow] : {std::pair{Requests::each_cycle, 21}, {Requests::persistent, 36}}) {
    PacketOptions options;
    options.requests = requests;
    int slow_runs = 0;
    for (options.seed = 0; options.seed < 64; ++options.seed) {
      const PacketResult run = simulate(topology, traffic, options);
      if (run.cycles == slow) {
        ++slow_runs;
      } else {
        EXPECT_EQ(run.cycles, 20);
      }
    }
    EXPECT_GE(slow_runs, 16);
    EXPECT_LE(slow_runs, 48);
  }
}

// The same with host 1 two cycles later: the port that is in use has less credit, and nobody takes it.
TEST(Packet, PersistentRequestsChooseByCredits) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:2,2");
  Programs programs("one after the other", 4);
  programs.send(0, 2, 64);
  programs.compute(1, 2);
  programs.send(1, 3, 64);
  const Traffic traffic = std::move(programs).finish();
  PacketOptions options;
  options.requests = Requests::persistent;
  options.link_bytes_per_second = 4e9;  // a cycle a nanosecond
  for (options.seed = 0; options.seed < 32; ++options.seed) {
    EXPECT_EQ(simulate(topology, traffic, options).cycles, 22);
  }
}

// The critical path of BT meets no other packet: 3 steps at each of h = 1 .. 4.
TEST(Packet, BinaryTreeOnTheFatTreeTakesItsLatencies) {
  const fabric::Topology topology = fabric::thin_tree(8, 8, 4);
  const PacketResult run = simulate(topology, pattern("BT", 4096, 10));
  EXPECT_EQ(run.cycles, 3 * (18 + 20 + 22 + 24));
}

const char* const networks[] = {"crossbar:16", "k-ary-n-tree:4,2", "thin-tree:4,2,2",   "thin-tree:2,1,4",
                                "mesh:4,4",    "pgft:4,4;1,2;1,2", "slender-tree:4,2,2"};

class PacketRequests : public testing::TestWithParam<Requests> {
 protected:
  PacketRequests() { options_.requests = GetParam(); }
  PacketOptions options_;
};

INSTANTIATE_TEST_SUITE_P(Both, PacketRequests, testing::Values(Requests::each_cycle, Requests::persistent));

TEST_P(PacketRequests, EveryPacketArrivesOnce) {
  for (const char* const name : networks) {
    const fabric::Topology topology = fabric::make_topology(name);
    for (const PatternEntry& entry : patterns()) {
      if (entry.name[0] == '3') continue;  // 16 is no cube
      SCOPED_TRACE(std::string(name) + " " + entry.name);
      const Traffic traffic = pattern(entry.name, 16, 1000);
      const PacketResult run = simulate(topology, traffic, options_);
      EXPECT_EQ(run.messages, totals(traffic).messages);

      // Packets into and out of every host, and through every switch.
      std::vector<std::int64_t> sent(16), received(16);
      const std::vector<std::int32_t> source = sources(traffic);
      for (std::size_t m = 0; m < source.size(); ++m) {
        const std::int64_t packets = traffic.repeats * ((traffic.size[m] + 63) / 64);
        sent[static_cast<std::size_t>(source[m])] += packets;
        received[static_cast<std::size_t>(traffic.destination[m])] += packets;
      }
      std::vector<std::int64_t> balance(static_cast<std::size_t>(topology.vertices()));
      for (fabric::Channel c = 0; c < topology.channels(); ++c) {
        if (!topology.target(c).connected()) continue;
        const std::int64_t load = run.link_loads[static_cast<std::size_t>(c)];
        balance[static_cast<std::size_t>(topology.source(c).vertex)] -= load;
        balance[static_cast<std::size_t>(topology.target(c).vertex)] += load;
      }
      for (std::size_t h = 0; h < 16; ++h) {
        EXPECT_EQ(run.link_loads[h], sent[h]);
        EXPECT_EQ(balance[h], received[h] - sent[h]);
      }
      for (std::size_t v = 16; v < balance.size(); ++v) EXPECT_EQ(balance[v], 0);
      EXPECT_EQ(run.packets, std::accumulate(sent.begin(), sent.end(), std::int64_t{0}));
      EXPECT_EQ(run.delay.count(), run.packets);
      EXPECT_EQ(run.packet_hops,
                std::accumulate(run.link_loads.begin(), run.link_loads.end(), std::int64_t{0}));
    }
  }
}

TEST_P(PacketRequests, NothingBeatsTheBusiestLink) {
  for (const std::string name : networks) {
    if (name == "mesh:4,4") continue;  // adaptive routing without lanes can lock up there
    const fabric::Topology topology = fabric::make_topology(name);
    const PacketResult run = simulate(topology, all_to_all(16, 2000), options_);
    const std::int64_t busiest = *std::max_element(run.link_loads.begin(), run.link_loads.end());
    EXPECT_GE(busiest, 15 * 32) << name;  // injection
    EXPECT_GE(run.cycles, 16 * busiest) << name;
  }
}

// 2 up-links for 8 hosts, half of whose packets have to cross.
TEST(Packet, NothingBeatsTheBisection) {
  const fabric::Topology topology = fabric::make_topology("thin-tree:8,2,2");
  Programs programs("across", 64);
  for (std::int32_t i = 0; i < 64; ++i) programs.send(i, (i + 32) % 64, 3200);
  const PacketResult run = simulate(topology, std::move(programs).finish());
  EXPECT_GE(run.cycles, 16 * 50 * 8 / 2);
  EXPECT_LE(run.cycles, 2 * 16 * 50 * 8 / 2);
}

TEST(Packet, EqualSeedsGiveEqualRunsAndOthersDiffer) {
  const fabric::Topology topology = fabric::make_topology("thin-tree:4,2,3");
  const Traffic traffic = pattern("2M", 64, 1000);
  PacketOptions options;
  options.message_log = true;
  const PacketResult first = simulate(topology, traffic, options),
                     again = simulate(topology, traffic, options);
  EXPECT_EQ(first.cycles, again.cycles);
  EXPECT_EQ(first.link_loads, again.link_loads);
  EXPECT_EQ(first.delay, again.delay);
  options.seed = 18;
  EXPECT_NE(simulate(topology, traffic, options).link_loads, first.link_loads);
}

// Every host does the same in a shift, so every host's links carry the same.
TEST(Packet, SymmetricTrafficLoadsSymmetricLinksAlike) {
  const fabric::Topology topology = fabric::make_topology("torus:4,4");
  Programs programs("neighbours", 16);
  for (std::int32_t i = 0; i < 16; ++i) programs.send(i, i / 4 * 4 + (i + 1) % 4, 6400);
  PacketOptions options;
  options.arbitration = Arbitration::round_robin;
  const PacketResult run = simulate(topology, std::move(programs).finish(), options);
  for (fabric::Channel c = 0; c < topology.channels(); ++c) {
    const std::int64_t load = run.link_loads[static_cast<std::size_t>(c)];
    EXPECT_TRUE(load == 0 || load == 100) << load;
  }
  EXPECT_EQ(run.delay.min(), 18);  // one switch more than in a crossbar: 3 links
}

// A tree that has lost its shape is routed by distance: still all shortest paths, found in another way.
TEST_P(PacketRequests, DistancesFindTheSamePathsAsTheShapeOfATree) {
  const fabric::Topology whole = fabric::make_topology("thin-tree:4,2,3");
  const fabric::Topology cut = fabric::without_hosts(whole, {63});
  const Traffic traffic = pattern("2M", 49, 640);
  double by_shape = 0, by_distance = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    options_.seed = seed;
    const PacketResult a = simulate(whole, traffic, options_), b = simulate(cut, traffic, options_);
    EXPECT_EQ(a.packet_hops, b.packet_hops);
    by_shape += static_cast<double>(a.cycles);
    by_distance += static_cast<double>(b.cycles);
  }
  EXPECT_NEAR(by_shape, by_distance, 0.03 * by_shape);
}

TEST(Packet, ComputationsTakeTheirTimeOnTheLinksClock) {
  const fabric::Topology topology = fabric::crossbar(2);
  Programs programs("think", 2);
  programs.compute(0, 1000);
  programs.send(0, 1, 64);
  programs.receive(1, 0);
  programs.compute(1, 500);
  PacketOptions options;
  options.link_bytes_per_second = 4e9;  // a phit of 4 bytes a nanosecond
  const PacketResult run = simulate(topology, std::move(programs).finish(), options);
  EXPECT_EQ(run.cycles, 1000 + 18 + 500);
  EXPECT_DOUBLE_EQ(run.seconds, 1518e-9);
  EXPECT_EQ(run.messages, 1);
}

TEST(Packet, LogsEveryMessageOnRequest) {
  const fabric::Topology topology = fabric::crossbar(4);
  PacketOptions options;
  options.message_log = true;
  const PacketResult run = simulate(topology, pattern("WF", 4, 1000), options);
  ASSERT_EQ(run.log.size(), 64u);
  EXPECT_EQ(run.log.front().start, 0);
  EXPECT_EQ(run.log.front().end, 18);
  EXPECT_EQ(run.log.back().end, run.cycles);
  for (const MessageRecord& record : run.log) EXPECT_GE(record.end - record.start, 18);
}

TEST(Packet, SamplesBuffersOnRequest) {
  const fabric::Topology topology = fabric::make_topology("thin-tree:4,1,2");
  PacketOptions options;
  options.sample_cycles = 10;
  const PacketResult run = simulate(topology, all_to_all(16, 640), options);
  ASSERT_GE(run.occupation.size(), 10u);
  std::int64_t most = 0;
  for (const OccupationSample& sample : run.occupation) {
    EXPECT_EQ(sample.cycle % 10, 0);
    ASSERT_EQ(sample.packets.size(), 3u);
    EXPECT_LE(sample.packets[1], 4 * 5 * 4 + 4 * 5);  // leaf queues, and what is just leaving them
    most = std::max(most, sample.packets[1]);
  }
  EXPECT_GT(most, 20);
}

TEST(Packet, StopsWhenAsked) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:4,3");
  PacketOptions options;
  int calls = 0;
  options.progress = [&](double part) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    return ++calls < 2;
  };
  EXPECT_THROW(simulate(topology, pattern("BU", 64, 1000000), options), Error);
  EXPECT_EQ(calls, 2);
}

TEST(Packet, RefusesWhatDoesNotFit) {
  const fabric::Topology topology = fabric::crossbar(4);
  const Traffic traffic = pattern("BU", 4, 10);
  EXPECT_THROW(simulate_packets(topology, traffic, {0, 1, 2}), ArgumentError);
  EXPECT_THROW(simulate_packets(topology, traffic, {0, 1, 2, 4}), ArgumentError);
  EXPECT_THROW(simulate_packets(topology, traffic, {0, 1, 2, 2}), ArgumentError);
  EXPECT_THROW(simulate_packets(topology, traffic, {0, 1, 2, -1}), ArgumentError);
  EXPECT_THROW(consecutive_hosts(topology, 4, 1), ArgumentError);
  const auto refused = [&](const auto& spoil) {
    PacketOptions options;
    spoil(options);
    EXPECT_THROW(simulate(topology, traffic, options), ArgumentError);
  };
  refused([](PacketOptions& o) { o.packet_bytes = 0; });
  refused([](PacketOptions& o) { o.packet_phits = 0; });
  refused([](PacketOptions& o) { o.switch_cycles = 0; });
  refused([](PacketOptions& o) { o.switch_cycles = o.packet_phits + 1; });
  refused([](PacketOptions& o) { o.buffer_packets = 0; });
  refused([](PacketOptions& o) { o.buffer_packets = 256; });
  refused([](PacketOptions& o) { o.injection_packets = 0; });
  refused([](PacketOptions& o) { o.link_bytes_per_second = 0; });
  refused([](PacketOptions& o) { o.sample_cycles = -1; });
}

// Packets of others: as many as asked for, all of them counted, and the traffic arrives whole.
TEST(Packet, BackgroundTakesItsShareOfTheLinks) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:4,2");
  const Traffic traffic = shift(8, 6400, 1, 8);
  const PacketResult alone = simulate(topology, traffic);
  EXPECT_EQ(alone.background_packets, 0);
  for (const double load : {0.1, 0.4}) {
    PacketOptions options;
    options.background = load;
    const PacketResult run = simulate(topology, traffic, options);
    EXPECT_EQ(run.messages, alone.messages);
    EXPECT_EQ(run.packets, alone.packets);
    EXPECT_GT(run.cycles, alone.cycles);
    EXPECT_EQ(run.link_loads.size(), alone.link_loads.size());
    EXPECT_EQ(std::accumulate(run.link_loads.begin(), run.link_loads.end(), std::int64_t{0}),
              run.packet_hops);

    // 16 hosts send load / 16 packets a cycle each; those of hosts with a task go beside its own.
    const double expected = load * static_cast<double>(run.cycles);
    EXPECT_NEAR(static_cast<double>(run.background_packets), expected, 0.15 * expected) << load;
    EXPECT_EQ(simulate(topology, traffic, options).cycles, run.cycles);
  }
}

// On one switch what host 0 sends to host 1 has what the background leaves of its link, at most. It loses
// more by waiting for the port of host 1, where the others' packets go too, and behind its own background's.
TEST(Packet, AMessageHasWhatTheBackgroundLeavesOfItsLink) {
  const fabric::Topology topology = fabric::make_topology("crossbar:8");
  const Traffic traffic = one_message(2, 0, 1, 256'000);
  const auto alone = static_cast<double>(simulate(topology, traffic).cycles);
  double before = alone;
  for (const auto& [load, most] : {std::pair{0.05, 1.2}, {0.1, 1.5}, {0.2, 2.2}}) {
    PacketOptions options;
    options.background = load;
    const auto cycles = static_cast<double>(simulate(topology, traffic, options).cycles);
    EXPECT_GT(cycles, 0.98 * alone / (1 - load));
    EXPECT_LT(cycles, most * alone) << load;
    EXPECT_GT(cycles, before);
    before = cycles;
  }
}

TEST(Packet, BackgroundOnStaticRoutesAndTori) {
  const auto topology = std::make_shared<fabric::Topology>(fabric::make_topology("mesh:3,3"));
  const Traffic traffic = all_to_all(5, 640);
  PacketOptions options;
  options.background = 0.2;
  const PacketResult adaptive = simulate(*topology, traffic, options);
  const PacketResult fixed =
      simulate_packets(fabric::route(topology, "dor"), traffic, consecutive_hosts(*topology, 5), options);
  for (const PacketResult& run : {adaptive, fixed}) {
    EXPECT_EQ(run.messages, 20);
    EXPECT_GT(run.background_packets, 0);
  }
}

TEST(Packet, BackgroundDoesNotHideThatNothingMoves) {
  const fabric::Topology topology = fabric::make_topology("k-ary-n-tree:2,2");
  Programs programs("stuck", 2);
  programs.send(0, 1, 64);
  programs.send(1, 0, 64);
  Traffic traffic = std::move(programs).finish();
  traffic.first_cause = {0, 1, 2};
  traffic.causes = {1, 0};
  PacketOptions options;
  options.background = 0.05;
  try {
    (void)simulate(topology, traffic, options);
    FAIL() << "it ended";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("task 0 waits for message 1"), std::string::npos)
        << error.what();
  }
  options.background = 1;
  EXPECT_THROW((void)simulate(topology, traffic, options), ArgumentError);
  options.background = 0.5;
  EXPECT_THROW((void)simulate(fabric::make_topology("crossbar:1"), one_message(1, 0, 0, 5), options),
               ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
