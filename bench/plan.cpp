// Time and memory that one rank of up to a million needs before its first frame: its schedule and plan, the
// choice of the algorithm, the order of all ranks' boxes, and the verification of its program.
//
// usage: bench_plan [max ranks]
//
// The last lines check the documented limits for 10^5 ranks: less than 5 ms and 1 MB for the plan of the
// algorithm that auto chooses, including schedule and order. The program fails if they are exceeded.
//
// All values are for the rank in the middle of a random depth order, and an image of 4096x4096 RGBA pixels of
// bytes with Op::over. `steps` is the number of its sends, receives and merges; the schedule and the order,
// which every rank holds, are counted separately from the plan. Times are minima over several runs, in
// milliseconds; memory is the growth of malloc's allocations. Every schedule is verified first: completely up
// to 4096 ranks, above that only this rank's program, in which the pieces must join into its own piece.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/machine.hpp"
#include "sortlast/random.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/visibility.hpp"

namespace {

using sortlast::Format;
using sortlast::Op;
using sortlast::Plan;
using sortlast::Schedule;
using sortlast::Setting;

constexpr std::int64_t pixels = 4096LL * 4096;
constexpr std::int32_t promised_p = 100000;
constexpr Format format{sortlast::Scalar::uint8, 4, false};

double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

std::size_t given_out() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

Setting setting_of(std::int32_t p) {
  Setting setting{p, pixels};
  setting.order.resize(static_cast<std::size_t>(p));
  std::iota(setting.order.begin(), setting.order.end(), 0);
  sortlast::SplitMix64 random(17);
  sortlast::shuffle(setting.order, random);
  return setting;
}

[[noreturn]] void fail(const std::string& name, std::int32_t p) {
  std::fprintf(stderr, "bench_plan: %s on %d ranks ends with other pixels than its piece\n", name.c_str(), p);
  std::exit(1);
}

// Time and memory of schedule and plan together.
struct Cost {
  double milliseconds = 0;
  double megabytes = 0;
};

Cost row(const std::string& name, const Setting& setting) {
  constexpr int runs = 3;
  const std::int32_t rank = setting.order[setting.order.size() / 2];
  double least_schedule = 1e9;
  double least_plan = 1e9;
  double least_check = 1e9;
  std::size_t schedule_bytes = 0;
  std::size_t plan_bytes = 0;
  std::size_t steps = 0;
  std::string full;
  for (int run = 0; run < runs; ++run) {
    const std::size_t before = given_out();
    const double begin = milliseconds();
    auto schedule =
        std::make_shared<const Schedule>(sortlast::make_schedule(name, setting));  // including its order
    const double made = milliseconds();
    const std::size_t between = given_out();
    const Plan plan(schedule, rank, format, Op::over, {}, 32767);
    const double planned = milliseconds();
    schedule_bytes = between - before;
    plan_bytes = given_out() - between;
    const double to_check = milliseconds();
    schedule->verify(rank);
    least_check = std::min(least_check, milliseconds() - to_check);
    least_schedule = std::min(least_schedule, made - begin);
    least_plan = std::min(least_plan, planned - made);
    const sortlast::Program& program = plan.indexed.program;
    steps = program.sends.size() + program.receives.size() + program.merges.size();
    full = schedule->name();
    if (run > 0) continue;
    if (setting.p <= 4096) schedule->verify();
    const sortlast::Range kept = program.result < 0
                                     ? sortlast::Range{}
                                     : program.values[static_cast<std::size_t>(program.result)].pixels;
    if (kept != schedule->piece(rank)) fail(full, setting.p);
  }
  std::printf("%8d  %-28.28s %8zu %12.3f %10.3f %12.3f %10.3f %12.3f\n", setting.p, full.c_str(), steps,
              least_schedule, static_cast<double>(schedule_bytes) / 1e6, least_plan,
              static_cast<double>(plan_bytes) / 1e6, least_check);
  std::fflush(stdout);
  return {least_schedule + least_plan, static_cast<double>(schedule_bytes + plan_bytes) / 1e6};
}

// Print a line with one time and one memory size.
void single_row(std::int32_t p, const std::string& what, double spent, std::size_t bytes) {
  std::printf("%8d  %-28.28s %8s %12.3f %10.3f\n", p, what.c_str(), "", spent,
              static_cast<double>(bytes) / 1e6);
  std::fflush(stdout);
}

// The order of one box per rank, on a grid, for an eye outside.
void visibility_row(std::int32_t p) {
  std::vector<sortlast::Box> boxes;
  for (std::int32_t i = 0; i < p; ++i) {
    const std::array<double, 3> low{double(i % 100), double(i / 100 % 100), double(i / 10000)};
    boxes.push_back({low, {low[0] + 1, low[1] + 1, low[2] + 1}});
  }
  const std::size_t before = given_out();
  const double begin = milliseconds();
  const auto order = sortlast::visibility_order(boxes, {{-300, -200, -100}}, sortlast::Ties::planes);
  single_row(p, "visibility order", milliseconds() - begin, given_out() - before);
}

// The algorithm that auto chooses, and its plan.
Cost choice_row(const Setting& setting) {
  const double begin = milliseconds();
  const std::size_t before = given_out();
  sortlast::AlgorithmChoice choice("auto", sortlast::Machine{});
  const std::string name = choice.name(setting, format, 1);
  const double chosen = milliseconds();
  single_row(setting.p, "auto: " + name, chosen - begin, given_out() - before);
  return row(name, setting);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t most = argc > 1 ? std::strtoll(argv[1], nullptr, 10) : 1000000;
  std::printf("%8s  %-28s %8s %12s %10s %12s %10s %12s\n", "ranks", "algorithm", "steps", "schedule, ms",
              "MB", "plan, ms", "MB", "verify, ms");
  int failures = 0;
  for (std::int64_t p = 1000; p <= most; p *= 10) {
    const Setting setting = setting_of(static_cast<std::int32_t>(p));
    for (const char* name : {"binary-swap", "2-3-swap", "radix-k", "multi-step", "tree", "direct-send",
                             "shift", "parallel-pipeline"})
      row(name, setting);
    const Cost cost = choice_row(setting);
    visibility_row(setting.p);
    if (p != promised_p) continue;
    const bool holds = cost.milliseconds < 5 && cost.megabytes < 1;
    std::printf("%8d  one rank's plan takes %.3f ms and %.3f MB: %s\n", promised_p, cost.milliseconds,
                cost.megabytes, holds ? "as promised" : "NOT as promised");
    failures += holds ? 0 : 1;
  }
  return failures;
}
