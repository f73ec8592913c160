// One rank's plan among 10^3 to 10^6 ranks: its memory, and that it grows no faster than its own steps.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>

#include "execute/heap.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/random.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

// Of one rank in a random depth order.
struct Planned {
  std::int64_t bytes = 0;      // all that stays: order, schedule and plan
  std::int64_t own_bytes = 0;  // what does not list all ranks
  std::size_t steps = 0;
};

Planned plan(const char* name, std::int32_t p) {
  const std::int64_t before = testing::bytes_in_use();
  Setting setting{p, 4096LL * 4096};
  setting.order.resize(static_cast<std::size_t>(p));
  std::iota(setting.order.begin(), setting.order.end(), 0);
  SplitMix64 random(17);
  shuffle(setting.order, random);
  const std::int32_t rank = setting.order[setting.order.size() / 3];
  const auto schedule = std::make_shared<const Schedule>(make_schedule(name, std::move(setting)));
  const std::int64_t scheduled = testing::bytes_in_use();
  const Plan made(schedule, rank, Format{Scalar::uint8, 4, false}, Op::over, {}, 32767);
  const std::int64_t after = testing::bytes_in_use();
  schedule->verify(rank);
  const Program& program = made.indexed.program;
  return {after - before, after - scheduled,
          program.sends.size() + program.receives.size() + program.merges.size()};
}

constexpr const char* swaps[] = {"auto", "binary-swap", "2-3-swap", "radix-k", "multi-step", "tree"};

TEST(PlanScale, TakesAMegabyteAmongAHundredThousand) {
  for (const char* const name : swaps) {
    const Planned planned = plan(name, 100'000);
    EXPECT_GT(planned.bytes, 400'000) << name;  // the order
    EXPECT_LT(planned.bytes, 1'000'000) << name;
  }
}

TEST(PlanScale, GrowsAsItsSteps) {
  for (const char* const name : {"binary-swap", "2-3-swap", "radix-k", "multi-step", "tree", "direct-send",
                                 "shift", "parallel-pipeline"}) {
    const Planned small = plan(name, 1'000);
    const Planned large = plan(name, 100'000);
    const auto per_step = [](const Planned& planned) {
      return static_cast<double>(planned.own_bytes) / static_cast<double>(planned.steps);
    };
    EXPECT_LT(per_step(large), 1.5 * per_step(small)) << name;
  }
}

}  // namespace
}  // namespace sortlast
