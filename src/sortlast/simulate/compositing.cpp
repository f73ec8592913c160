#include "sortlast/simulate/compositing.hpp"

#include <algorithm>
#include <cmath>

#include "sortlast/simulate/compositing/rank_plan.hpp"

namespace sortlast::simulate {
namespace {

// What a rank does, without the time that it takes.
Timing work_of(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options) {
  const RankPlan plan(schedule, rank, options);
  Timing timing;
  std::int64_t nanoseconds = 0;
  for (const RankPlan::Step& step : plan.steps()) nanoseconds += step.nanoseconds;
  timing.blend = static_cast<double>(nanoseconds) * 1e-9;
  timing.messages_sent = static_cast<std::int64_t>(plan.parts().size());
  for (const Receive& receive : plan.program().receives) {
    timing.messages_received +=
        plan.cells(plan.program().values[static_cast<std::size_t>(receive.value)].pixels);
  }
  timing.stages = schedule.stages();
  return timing;
}

}  // namespace

CompositingRun simulate(const Schedule& schedule, const fabric::Routes& routes,
                        const fabric::Placement& placement, const CompositingOptions& options,
                        const FlowOptions& flow) {
  CompositingRun run;
  run.traffic = compositing_traffic(schedule, options);
  run.flow = simulate_flows(routes, run.traffic, placement, flow);

  // Take the figures of the rank that ends last.
  const auto last = std::max_element(run.flow.tasks.begin(), run.flow.tasks.end(),
                                     [](const TaskRun& a, const TaskRun& b) { return a.end < b.end; });
  const auto rank = static_cast<std::int32_t>(last - run.flow.tasks.begin());
  Timing& timing = run.timing;
  timing = work_of(schedule, rank, options);
  timing.total = run.flow.seconds;
  timing.wait = std::max(0.0, timing.total - timing.blend);
  timing.bytes_sent = last->bytes_sent;
  timing.bytes_received = last->bytes_received;
  if (timing.blend == 0) return run;

  // Find what blending adds.
  CompositingOptions without = options;
  without.blend_bytes_per_second = 0;
  FlowOptions quiet = flow;
  quiet.message_log = false;
  const FlowRun unblended = simulate_flows(routes, compositing_traffic(schedule, without), placement, quiet);
  run.hidden = std::clamp(1 - (timing.total - unblended.seconds) / timing.blend, 0.0, 1.0);
  return run;
}

}  // namespace sortlast::simulate
