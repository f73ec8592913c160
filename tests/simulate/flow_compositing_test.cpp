// Compositing on a network: every schedule as traffic, analytic frames, what hides blending, the paper's
// runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "sortlast/error.hpp"
#include "sortlast/fabric/families.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/simulate/flow.hpp"
#include "sortlast/simulate/packet.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {
namespace {

constexpr double B = 1e9;

fabric::Routes routed(const std::string& name, const std::string& engine = "minhop") {
  return fabric::route(std::make_shared<fabric::Topology>(fabric::make_topology(name)), engine);
}

CompositingResult run_on(const fabric::Routes& routes, const Schedule& schedule,
                         const CompositingOptions& options = {}, FlowOptions flow = {.sends_at_once = 0}) {
  flow.link_bytes_per_second = B;
  return simulate(schedule, routes, consecutive_hosts(*routes.topology, schedule.p()), options, flow);
}

Schedule make(const std::string& name, std::int32_t p, std::int64_t n, bool commutes = false) {
  return make_schedule(name, {.p = p, .n = n, .commutes = commutes});
}

const char* const all_algorithms[] = {"shift",   "direct-send",       "binary-swap", "2-3-swap",
                                      "radix-k", "parallel-pipeline", "tree"};

bool fits(const std::string& name, std::int32_t p) { return name != "binary-swap" || (p & (p - 1)) == 0; }

// Nothing waits for ever, and every pixel of every transfer arrives, with every window, cut or whole.
TEST(Compositing, EveryScheduleArrivesWhole) {
  const fabric::Routes routes = routed("crossbar:17");
  for (const char* const name : all_algorithms) {
    for (const std::int32_t p : {1, 2, 3, 4, 5, 7, 8, 12, 16, 17}) {
      if (!fits(name, p)) continue;
      const Schedule schedule = make(name, p, 997);
      std::int64_t pixels = 0;
      for (const Transfer& transfer : schedule.transfers()) pixels += transfer.fragment.pixels.size();
      for (const std::int32_t window : {-1, 0, 1, 3}) {
        for (const std::int64_t chunk_bytes : {0, 4 * 100}) {
          for (const int way : {0, 1, 2, 3, 4, 5}) {
            const CompositingOptions options{.pixel_bytes = 4,
                                             .blend_bytes_per_second = 1e9,
                                             .overlap = way % 2 == 0,
                                             .window = window,
                                             .rendezvous = way < 4,
                                             .barrier = way / 2 == 1,
                                             .chunk_bytes = chunk_bytes};
            const Traffic traffic = compositing_traffic(schedule, options);
            ASSERT_NO_THROW(check(traffic));
            const CompositingResult run = run_on(routes, schedule, options);
            ASSERT_EQ(run.flow.bytes, 4 * pixels) << name << " of " << p << " window " << window;
            EXPECT_GE(run.timing.total, run.timing.blend - 1e-9);
            EXPECT_GE(run.hidden, 0);
            EXPECT_LE(run.hidden, 1);
          }
        }
      }
    }
  }
}

// Who waits for what is also found by other code, without stages and blending. What is blended in order may
// be a little later than what is blended as it comes.
TEST(Compositing, IsTheTrafficOfTheScheduleIfNothingButMessagesTakesTime) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,2", "d-mod-k");
  for (const char* const name : all_algorithms) {
    for (const std::int32_t p : {2, 4, 7, 8, 16}) {
      if (!fits(name, p)) continue;
      const Schedule schedule = make(name, p, 16'384);
      for (const std::int32_t at_once : {0, 1}) {
        const FlowOptions flow{.link_bytes_per_second = B, .sends_at_once = at_once};
        const double plain = simulate_flows(routes, schedule_traffic(schedule, 16),
                                            consecutive_hosts(*routes.topology, p), flow)
                                 .seconds;
        const double staged = run_on(routes, schedule, {.window = 0}, flow).timing.total;
        EXPECT_GE(staged, plain * (1 - 1e-9)) << name << " of " << p;
        EXPECT_LE(staged, plain * 1.01) << name << " of " << p;
      }
    }
  }
}

TEST(Compositing, ShiftTakesItsStagesAndHidesAllBlendingButTheLast) {
  const std::int32_t p = 12;
  const fabric::Routes routes = routed("crossbar:12");
  const Schedule schedule = make("shift", p, std::int64_t{10'000} * p, true);
  const double transfer = 160'000 / B, join = 160'000 / 2e9;
  const CompositingOptions overlapped{.blend_bytes_per_second = 2e9, .window = 1, .stage_seconds = 50e-6};
  const CompositingResult hidden = run_on(routes, schedule, overlapped);
  EXPECT_NEAR(hidden.timing.total, (p - 1) * (50e-6 + transfer) + join, 1e-12);
  EXPECT_NEAR(hidden.timing.blend, (p - 1) * join, 1e-12);
  EXPECT_NEAR(hidden.timing.wait, hidden.timing.total - hidden.timing.blend, 1e-12);
  EXPECT_NEAR(hidden.hidden, (p - 2.) / (p - 1.), 1e-9);
  EXPECT_NEAR(hidden.frames_per_second(), 1 / hidden.timing.total, 1e-9);
  EXPECT_EQ(hidden.timing.bytes_sent, (p - 1) * 160'000);
  EXPECT_EQ(hidden.timing.bytes_received, (p - 1) * 160'000);
  EXPECT_EQ(hidden.timing.messages_sent, p - 1);
  EXPECT_EQ(hidden.timing.stages, p - 1);

  CompositingOptions apart = overlapped;
  apart.overlap = false;
  const CompositingResult exposed = run_on(routes, schedule, apart);
  EXPECT_NEAR(exposed.timing.total, (p - 1) * (50e-6 + transfer + join), 1e-12);
  EXPECT_NEAR(exposed.hidden, 0, 1e-9);
}

// All messages of direct-send arrive at once, so that blending hides only behind later chunks.
TEST(Compositing, DirectSendHidesBlendingBehindChunks) {
  const std::int32_t p = 8;
  const fabric::Routes routes = routed("crossbar:8");
  const Schedule schedule = make("direct-send", p, std::int64_t{10'000} * p, true);
  const double transfers = (p - 1) * 160'000 / B, joins = (p - 1) * 160'000 / 2e9;
  const CompositingResult whole = run_on(routes, schedule, {.blend_bytes_per_second = 2e9});
  EXPECT_NEAR(whole.timing.total, transfers + joins, 1e-12);
  EXPECT_NEAR(whole.hidden, 0, 1e-9);
  const CompositingResult cut =
      run_on(routes, schedule, {.blend_bytes_per_second = 2e9, .chunk_bytes = 40'000});
  EXPECT_NEAR(cut.timing.total, transfers + joins / 4, 1e-12);
  EXPECT_NEAR(cut.hidden, 0.75, 1e-9);
}

// In swaps the second round can begin with what the first has blended, if messages are cut.
TEST(Compositing, SwapsPipelineTheirChunks) {
  const fabric::Routes routes = routed("crossbar:4");
  const Schedule schedule = make("binary-swap", 4, 40'000, true);
  const double half = 320'000 / B;
  CompositingOptions options{.blend_bytes_per_second = B};
  const double whole = run_on(routes, schedule, options).timing.total;
  EXPECT_NEAR(whole, 2 * half + 2 * (half / 2), 1e-12);  // transfer and blending of each round
  options.chunk_bytes = 16'000;
  const double cut = run_on(routes, schedule, options).timing.total;
  EXPECT_LT(cut, 0.85 * whole);
  EXPECT_GT(cut, half + half / 2);  // all that a rank sends
}

// Messages of a stage that share a link end later than without; with barriers nobody runs ahead into them.
TEST(Compositing, WithBarriersAStageLastsAsLongAsItsSlowestMessage) {
  const fabric::Routes routes = routed("k-ary-n-tree:4,2", "d-mod-k");
  for (const std::int32_t p : {6, 10, 16}) {
    const fabric::Placement placement = fabric::allocate_hosts(*routes.topology, "random", p, {}, 3);
    const auto pattern = fabric::shift_pattern(p, 160'000);
    const double synchronised = fabric::pattern_time(routes, *pattern, placement, B, 5e-5).synchronised;
    const double total = simulate(make("shift", p, std::int64_t{10'000} * p), routes, placement,
                                  {.barrier = true, .stage_seconds = 5e-5}, {.link_bytes_per_second = B})
                             .timing.total;
    EXPECT_NEAR(total, synchronised, 1e-9) << p;
  }
}

TEST(Compositing, TheWindowLimitsStagesUnderWay) {
  const fabric::Routes routes = routed("crossbar:6");
  const Schedule schedule = make("shift", 6, 60'000);
  double before = 0;
  for (const std::int32_t window : {0, 4, 2, 1}) {
    const double total = run_on(routes, schedule, {.window = window, .stage_seconds = 1e-4}).timing.total;
    EXPECT_GE(total, before * (1 - 1e-9)) << window;
    before = total;
  }
  // One by one they pay their cost each, all at once together.
  EXPECT_NEAR(before, 5 * (1e-4 + 160'000 / B), 1e-12);
  EXPECT_NEAR(run_on(routes, schedule, {.window = 0, .stage_seconds = 1e-4}).timing.total,
              1e-4 + 5 * 160'000 / B, 1e-12);
}

TEST(Compositing, ActivePixelsGrowWithTheImagesThatAreMerged) {
  const Schedule schedule = make("binary-swap", 4, 40'000);
  const CompositingOptions options{.active = 0.3};
  const CompositingResult run = run_on(routed("crossbar:4"), schedule, options);
  const double first = 20'000 * 16 * 0.3, second = 10'000 * 16 * (1 - 0.7 * 0.7);
  EXPECT_NEAR(static_cast<double>(run.flow.bytes), 4 * (first + second), 8);
  EXPECT_NEAR(run.timing.total, (first + second) / B, 1e-8);
}

// Cavin and Demengeon, section 4: 1827 MB/s on one crossbar. With 113 us a stage, one stage at a time and the
// rendezvous of long messages this is their FPS within 8 %.
TEST(Compositing, ThePapersRunsOfShift) {
  const fabric::Routes routes = routed("k-ary-n-tree:12,2", "d-mod-k");
  const auto fps = [&](std::int32_t p, std::int64_t pixels, bool rendezvous) {
    const FlowOptions flow{.link_bytes_per_second = 1827e6, .sends_at_once = 0};
    return simulate(make("shift", p, pixels), routes, consecutive_hosts(*routes.topology, p),
                    {.window = 1, .rendezvous = rendezvous, .stage_seconds = 113e-6}, flow)
        .frames_per_second();
  };
  EXPECT_NEAR(fps(12, std::int64_t{4096} * 2048, true), 14.5, 0.08 * 14.5);
  EXPECT_NEAR(fps(144, std::int64_t{4096} * 2048, true), 11.5, 0.08 * 11.5);
  EXPECT_NEAR(fps(64, std::int64_t{4096} * 2048, true), 8.0, 0.08 * 8);
  EXPECT_NEAR(fps(144, std::int64_t{4096} * 4096, true), 5.8, 0.08 * 5.8);
  // Where stages contend, senders that do not wait for their receivers run ahead into others' messages.
  EXPECT_LT(fps(64, std::int64_t{4096} * 2048, false), 0.8 * fps(64, std::int64_t{4096} * 2048, true));
  EXPECT_NEAR(fps(144, std::int64_t{4096} * 2048, false), fps(144, std::int64_t{4096} * 2048, true), 1e-3);
}

TEST(Compositing, RefusesWhatDoesNotFit) {
  const Schedule schedule = make("shift", 4, 100);
  EXPECT_THROW(compositing_traffic(schedule, {.pixel_bytes = 0}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.active = 0}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.active = 1.5}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.blend_bytes_per_second = -1}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.window = -2}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.stage_seconds = -1e-6}), ArgumentError);
  EXPECT_THROW(compositing_traffic(schedule, {.chunk_bytes = -1}), ArgumentError);
  EXPECT_THROW(run_on(routed("crossbar:3"), schedule), ArgumentError);
}

}  // namespace
}  // namespace sortlast::simulate
