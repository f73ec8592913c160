// Contention against its definition: the fast ways and the naive one agree on every figure.
#include "sortlast/fabric/contention.hpp"

#include <gtest/gtest.h>

#include <exception>
#include <numeric>
#include <random>
#include <thread>

#include "fabric/naive_contention.hpp"
#include "fabric/random_routes.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::fabric {
namespace {

std::shared_ptr<const Topology> share(Topology topology) {
  return std::make_shared<const Topology>(std::move(topology));
}

Placement in_order(const Topology& topology) {
  Placement placement(static_cast<std::size_t>(topology.hosts()));
  std::iota(placement.begin(), placement.end(), 0);
  return placement;
}

void expect_same(const Contention& ours, const Contention& naive, const std::string& what) {
  SCOPED_TRACE(what);
  EXPECT_EQ(ours.stages, naive.stages);
  EXPECT_EQ(ours.flows, naive.flows);
  EXPECT_EQ(ours.max_flows, naive.max_flows);
  EXPECT_EQ(ours.worst_stage, naive.worst_stage);
  EXPECT_EQ(ours.worst_channel, naive.worst_channel);
  EXPECT_EQ(ours.stage_max, naive.stage_max);
  EXPECT_EQ(ours.histogram, naive.histogram);
  EXPECT_EQ(ours.channel_max, naive.channel_max);
  EXPECT_EQ(ours.contention_free(), naive.max_flows <= 1);
  EXPECT_NEAR(ours.mean_share, naive.mean_share, 1e-12);
  ASSERT_EQ(ours.stage_share.size(), naive.stage_share.size());
  for (std::size_t s = 0; s < naive.stage_share.size(); ++s) {
    EXPECT_NEAR(ours.stage_share[s], naive.stage_share[s], 1e-12) << "stage " << s;
  }
}

// With room to hold paths and without.
void compare(const Routes& routes, const Pattern& pattern, const Placement& placement,
             const std::string& what) {
  const Contention naive = naive::contention(routes, pattern, placement);
  expect_same(contention(routes, pattern, placement), naive, what);
  expect_same(contention(routes, pattern, placement, {.path_bytes = 0}), naive, what + ", no paths held");
}

TEST(Contention, OfShiftsAgreesWithItsDefinitionOnRandomTrees) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const auto topology = random_tree(seed);
    const Routes routes = random_routes(topology, seed);
    const std::string what = topology->name();
    if (topology->hosts() > 0) {
      const Placement all = in_order(*topology);
      compare(routes, *shift_pattern(topology->hosts()), all, what + " in order");
    }
    const Placement some = random_placement(*topology, seed);
    compare(routes, *shift_pattern(static_cast<std::int32_t>(some.size())), some, what + " at random");
  }
}

TEST(Contention, OfShiftsAgreesWithItsDefinitionOnDeepFabrics) {
  for (const char* family : {"k-ary-n-tree:3,3", "pgft:4,4;1,2;1,2", "thin-tree:4,2,3", "slender-tree:4,2,3",
                             "torus:3,3", "crossbar:5"}) {
    const auto topology = share(make_topology(family));
    for (const std::int32_t planes : {1, 2}) {
      const Routes routes = random_routes(topology, 7, planes);
      const std::string what = std::string(family) + ", planes " + std::to_string(planes);
      compare(routes, *shift_pattern(topology->hosts()), in_order(*topology), what + " in order");
      const Placement some = random_placement(*topology, 3);
      compare(routes, *shift_pattern(static_cast<std::int32_t>(some.size())), some, what + " at random");
    }
  }
}

TEST(Contention, OfOtherPatternsAgreesWithItsDefinition) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const auto topology = random_tree(seed);
    const Routes routes = random_routes(topology, seed);
    const Placement placement = random_placement(*topology, seed);
    const auto p = static_cast<std::int32_t>(placement.size());
    compare(routes, *all_to_all_pattern(p), placement, topology->name() + ", all-to-all");
    std::vector<std::int32_t> destination(placement.size());
    std::iota(destination.begin(), destination.end(), 0);
    std::shuffle(destination.begin(), destination.end(), std::mt19937(seed));
    destination.front() = -1;
    compare(routes, *permutation_pattern(destination), placement, topology->name() + ", permutation");
  }
}

TEST(Contention, OfEveryAlgorithmAgreesWithItsDefinition) {
  const auto topology = share(k_ary_n_tree(3, 2));
  const Routes routes = random_routes(topology, 5);
  for (const AlgorithmEntry& algorithm : algorithms()) {
    for (const std::int32_t p : {1, 4, 8, 9}) {
      Placement placement = in_order(*topology);
      placement.resize(static_cast<std::size_t>(p));
      const Schedule schedule = make_schedule(algorithm.name, {.p = p, .n = 1000});
      compare(routes, *schedule_pattern(schedule, 4), placement,
              schedule.name() + " p = " + std::to_string(p));
    }
  }
}

TEST(Contention, OfSeveralParticipantsAHostCountsNoFlowWithinIt) {
  const auto topology = share(k_ary_n_tree(2, 2));
  const Routes routes = random_routes(topology, 1);
  const Placement twice = {0, 0, 1, 1, 2, 2, 3, 3};
  compare(routes, *shift_pattern(8), twice, "two a host");
  EXPECT_EQ(contention(routes, *shift_pattern(8), twice).flows, 8 * 7 - 8);
}

TEST(Contention, DoesNotDependOnTheNumberOfThreads) {
  const auto topology = share(k_ary_n_tree(5, 4));
  const Routes routes = random_routes(topology, 3);
  for (const bool shuffled : {false, true}) {
    Placement placement = in_order(*topology);
    if (shuffled) std::shuffle(placement.begin(), placement.end(), std::mt19937(1));
    const auto shift = shift_pattern(topology->hosts());
    const Contention one = contention(routes, *shift, placement, {.threads = 1});
    for (const std::int32_t threads : {2, 3, 7}) {
      const Contention many = contention(routes, *shift, placement, {.threads = threads});
      EXPECT_EQ(many.mean_share, one.mean_share);
      EXPECT_EQ(many.stage_share, one.stage_share);
      EXPECT_EQ(many.stage_max, one.stage_max);
      EXPECT_EQ(many.histogram, one.histogram);
      EXPECT_EQ(many.channel_max, one.channel_max);
    }
  }
}

TEST(Contention, OfNothingIsFree) {
  const auto topology = share(crossbar(3));
  const Routes routes = random_routes(topology, 1);
  for (const Placement& placement : {Placement{0}, Placement{-1, -1, -1}, Placement{-1, 2, -1}}) {
    const Contention result =
        contention(routes, *shift_pattern(static_cast<std::int32_t>(placement.size())), placement);
    EXPECT_TRUE(result.contention_free());
    EXPECT_EQ(result.flows, 0);
    EXPECT_EQ(result.max_flows, 0);
    EXPECT_EQ(result.mean_share, 1);
    EXPECT_EQ(result.histogram, std::vector<std::int64_t>{0});
  }
}

TEST(Contention, OfOneStageListsLoadsAndWhoCrosses) {
  const auto topology = share(k_ary_n_tree(3, 2));
  const Routes routes = random_routes(topology, 2);
  const auto pattern = shift_pattern(9);
  const Placement placement = in_order(*topology);
  const Contention whole = contention(routes, *pattern, placement);
  const auto at_worst = loads(routes, *pattern, placement, whole.worst_stage);
  const auto naive_loads = naive::loads(naive::paths(routes, *pattern, placement, whole.worst_stage));
  for (Channel c = 0; c < topology->channels(); ++c) {
    const auto found = naive_loads.find(c);
    EXPECT_EQ(at_worst[static_cast<std::size_t>(c)], found == naive_loads.end() ? 0 : found->second);
    const auto flows = crossing(routes, *pattern, placement, whole.worst_stage, c);
    EXPECT_EQ(flows.size(), static_cast<std::size_t>(at_worst[static_cast<std::size_t>(c)]));
    for (const Flow& flow : flows) {
      const auto path = walk(routes, flow.source, flow.destination);
      EXPECT_NE(std::find(path.begin(), path.end(), c), path.end());
      EXPECT_EQ(flow.destination, (flow.source + whole.worst_stage + 1) % 9);
    }
  }
}

TEST(Contention, RefusesWrongArguments) {
  const auto topology = share(crossbar(3));
  const Routes routes = random_routes(topology, 1);
  const auto shift = shift_pattern(3);
  EXPECT_THROW(contention(routes, *shift, {0, 1}), ArgumentError);
  EXPECT_THROW(contention(routes, *shift, {0, 1, 3}), ArgumentError);
  EXPECT_THROW(contention(routes, *shift, {0, 1, -2}), ArgumentError);
  EXPECT_THROW(contention(routes, *shift, {0, 1, 2}, {.threads = -1}), ArgumentError);
  EXPECT_THROW(loads(routes, *shift, {0, 1, 2}, 2), ArgumentError);
  EXPECT_THROW(loads(routes, *shift, {0, 1, 2}, -1), ArgumentError);
  EXPECT_THROW(crossing(routes, *shift, {0, 1, 2}, 0, topology->channels()), ArgumentError);
  EXPECT_THROW(crossing(routes, *shift, {0, 1, 2}, 0, -1), ArgumentError);
}

TEST(Contention, TellsWhereBrokenTablesLeadNowhere) {
  const auto topology = share(k_ary_n_tree(2, 2));
  const Routes good = random_routes(topology, 1);
  const auto& whole = dynamic_cast<const Tables&>(*good.forwarding);
  auto holed = std::make_shared<Tables>(whole);
  holed->set(1, 0, Forwarding::unreachable);
  auto circle = std::make_shared<Tables>(whole);
  for (std::int32_t s = 0; s < topology->switches(); ++s) circle->set(s, 0, topology->level(s) == 1 ? 3 : 1);
  auto wrong_host = std::make_shared<Tables>(whole);
  wrong_host->set(0, 1, topology->attachment(0).port);
  for (const auto& tables : {holed, circle, wrong_host}) {
    Routes routes = good;
    routes.forwarding = tables;
    EXPECT_THROW(contention(routes, *shift_pattern(4), {0, 1, 2, 3}), Error);
    EXPECT_THROW(contention(routes, *all_to_all_pattern(4), {0, 1, 2, 3}), Error);
  }
}

TEST(Contention, ReportsProgressFromTheCallersThreadAndStopsWhenTold) {
  const auto topology = share(k_ary_n_tree(4, 3));
  const Routes routes = random_routes(topology, 1);
  const Placement placement = in_order(*topology);
  const auto here = std::this_thread::get_id();
  double last = 0;
  contention(routes, *shift_pattern(64), placement, {.threads = 2, .progress = [&](double part) {
                                                       EXPECT_EQ(std::this_thread::get_id(), here);
                                                       EXPECT_GE(part, last);
                                                       last = part;
                                                       return true;
                                                     }});
  EXPECT_EQ(last, 1);
  EXPECT_THROW(contention(routes, *shift_pattern(64), placement, {.progress = [](double) { return false; }}),
               Error);
  class Interrupted : public std::exception {};
  EXPECT_THROW(contention(routes, *shift_pattern(64), placement,
                          {.progress = [](double) -> bool { throw Interrupted(); }}),
               Interrupted);
}

}  // namespace
}  // namespace sortlast::fabric
