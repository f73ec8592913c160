// The packet simulator against a naive one that moves phit by phit: exactly where nothing is drawn at random,
// in distribution elsewhere.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>

#include "reference.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/simulate/traffic.hpp"
#include "sortlast/simulate/traffic/causes.hpp"

namespace sortlast::simulate {
namespace {

// Random programs: messages between random tasks, each sent when what came before it in a random order of all
// messages has been received.
Traffic random_traffic(std::int32_t tasks, std::int32_t messages, std::int64_t most_bytes,
                       std::mt19937_64& random) {
  Programs programs("random", tasks);
  const auto draw = [&](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random);
  };
  for (std::int32_t m = 0; m < messages; ++m) {
    const auto from = static_cast<std::int32_t>(draw(tasks));
    const auto to = static_cast<std::int32_t>((from + 1 + draw(tasks - 1)) % tasks);
    programs.send(from, to, draw(most_bytes + 1), m);
    if (draw(2) == 0) programs.receive(to, from, m);
  }
  return std::move(programs).finish(1 + draw(3));
}

PacketOptions random_options(std::mt19937_64& random) {
  const auto pick = [&](std::initializer_list<std::int32_t> of) {
    return of.begin()[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random)];
  };
  PacketOptions options;
  options.packet_phits = pick({1, 2, 5, 16});
  options.switch_cycles = pick({1, (options.packet_phits + 1) / 2, options.packet_phits});
  options.buffer_packets = pick({1, 2, 4, 7});
  options.injection_packets = pick({1, 3, 8});
  options.seed = random();
  return options;
}

void expect_equal(const PacketResult& run, const ReferenceRun& reference) {
  EXPECT_EQ(run.cycles, reference.cycles);
  EXPECT_EQ(run.packets, reference.packets);
  EXPECT_EQ(run.packet_hops, reference.packet_hops);
  EXPECT_EQ(run.link_loads, reference.link_loads);
  EXPECT_EQ(run.delay.max(), reference.delay_max);
  EXPECT_NEAR(run.delay.mean() * static_cast<double>(run.packets), static_cast<double>(reference.delay_sum),
              0.5);
}

const char* const networks[] = {"crossbar:6",      "k-ary-n-tree:2,3",   "thin-tree:4,2,2",
                                "thin-tree:3,2,3", "slender-tree:4,2,3", "pgft:3,4;1,2;1,2",
                                "xgft:2,3,2;1,2,2"};

TEST(PacketReference, IsEqualOnStaticRoutesWithRoundRobin) {
  std::mt19937_64 random(1);
  for (const char* const name : networks) {
    const auto topology = std::make_shared<const fabric::Topology>(fabric::make_topology(name));
    for (const char* const engine : {"d-mod-k", "minhop", "updn"}) {
      const fabric::Routes routes = fabric::route(topology, engine);
      for (int i = 0; i < 6; ++i) {
        SCOPED_TRACE(std::string(name) + " " + engine + " " + std::to_string(i));
        const std::int32_t tasks = topology->hosts() - (i % 2);
        const Traffic traffic = random_traffic(tasks, 60, 500, random);
        PacketOptions options = random_options(random);
        options.arbitration = Arbitration::round_robin;
        const fabric::Placement placement = consecutive_hosts(*topology, tasks, i % 2);
        Reference reference(*topology, traffic, placement, options, table_candidates(routes));
        expect_equal(simulate_packets(routes, traffic, placement, options), reference.run());
      }
    }
  }
}

// Where only one path is shortest, adaptive routing has no choice: both ways to find it must agree.
TEST(PacketReference, IsEqualOnSinglePathsWithRoundRobin) {
  std::mt19937_64 random(2);
  for (const char* const name : {"crossbar:5", "thin-tree:3,1,3", "mesh:5", "mesh:1,4"}) {
    const fabric::Topology topology = fabric::make_topology(name);
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE(std::string(name) + " " + std::to_string(i));
      const Traffic traffic = random_traffic(topology.hosts(), 80, 400, random);
      PacketOptions options = random_options(random);
      options.arbitration = Arbitration::round_robin;
      options.requests = i % 2 == 0 ? Requests::each_cycle : Requests::persistent;
      const fabric::Placement placement = consecutive_hosts(topology, topology.hosts());
      Reference reference(topology, traffic, placement, options, shortest_candidates(topology));
      expect_equal(simulate_packets(topology, traffic, placement, options), reference.run());
    }
  }
}

struct Sample {
  double mean = 0, error = 0;
};

template <class Draw>
Sample sample(int count, const Draw& draw) {
  double sum = 0, squares = 0;
  for (int i = 0; i < count; ++i) {
    const double value = draw(static_cast<std::uint64_t>(i));
    sum += value;
    squares += value * value;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(std::max(0.0, squares / count - mean * mean) / count)};
}

// Adaptive routing draws at random: means over many seeds may differ by what chance allows.
void expect_agreement_in_the_mean(const PacketOptions& model) {
  struct Case {
    const char* network;
    Traffic traffic;
  };
  const Case cases[] = {
      {"k-ary-n-tree:2,3", shift(8, 640, 1, 8)},      {"thin-tree:4,2,2", pattern("BU", 16, 1000)},
      {"thin-tree:4,2,2", pattern("2M", 16, 300)},    {"slender-tree:4,2,3", pattern("BU", 32, 300)},
      {"slender-tree:4,2,3", uniform(32, 200, 4, 3)}, {"mesh:3,3", pattern("2W", 9, 300)}};
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.network) + " " + one.traffic.name);
    const fabric::Topology topology = fabric::make_topology(one.network);
    const fabric::Placement placement = consecutive_hosts(topology, one.traffic.tasks);
    const Candidates candidates = shortest_candidates(topology);
    PacketOptions options = model;
    constexpr int seeds = 60;
    double delay = 0, reference_delay = 0;
    const Sample ours = sample(seeds, [&](std::uint64_t seed) {
      options.seed = seed;
      const PacketResult run = simulate_packets(topology, one.traffic, placement, options);
      delay += run.delay.mean();
      return static_cast<double>(run.cycles);
    });
    const Sample theirs = sample(seeds, [&](std::uint64_t seed) {
      options.seed = seed + 1000;
      Reference reference(topology, one.traffic, placement, options, candidates);
      const ReferenceRun run = reference.run();
      reference_delay += static_cast<double>(run.delay_sum) / static_cast<double>(run.packets);
      return static_cast<double>(run.cycles);
    });
    EXPECT_NEAR(ours.mean, theirs.mean, 4 * std::hypot(ours.error, theirs.error) + 1e-9);
    EXPECT_NEAR(delay, reference_delay, 0.02 * delay);
  }
}

TEST(PacketReference, AgreesInTheMeanWhereItAdapts) { expect_agreement_in_the_mean({}); }

TEST(PacketReference, AgreesInTheMeanWithPersistentRequests) {
  PacketOptions options;
  options.requests = Requests::persistent;
  expect_agreement_in_the_mean(options);
  options.switch_cycles = 3;
  expect_agreement_in_the_mean(options);
}

}  // namespace
}  // namespace sortlast::simulate
