#include "sortlast/simulate/compositing.hpp"

#include <algorithm>
#include <cmath>

#include "sortlast/simulate/compositing/rank_plan.hpp"

namespace sortlast::simulate {
namespace {

// Seconds that a rank blends.
double blending_of(const Schedule& schedule, std::int32_t rank, const CompositingOptions& options) {
  const RankPlan plan(schedule, rank, options);
  std::int64_t nanoseconds = 0;
  for (const RankPlan::Step& step : plan.steps()) nanoseconds += step.nanoseconds;
  return static_cast<double>(nanoseconds) * 1e-9;
}

}  // namespace

CompositingRun simulate(const Schedule& schedule, const fabric::Routes& routes,
                        const fabric::Placement& placement, const CompositingOptions& options,
                        const FlowOptions& flow) {
  CompositingRun run;
  run.flow = simulate_flows(routes, compositing_traffic(schedule, options), placement, flow);

  // Take the figures of the rank that ends last.
  const auto last = std::max_element(run.flow.tasks.begin(), run.flow.tasks.end(),
                                     [](const TaskRun& a, const TaskRun& b) { return a.end < b.end; });
  const auto rank = static_cast<std::int32_t>(last - run.flow.tasks.begin());
  Timing& timing = run.timing;
  timing.total = run.flow.seconds;
  timing.blend = blending_of(schedule, rank, options);
  timing.wait = std::max(0.0, timing.total - timing.blend);
  timing.bytes_sent = last->bytes_sent;
  timing.bytes_received = last->bytes_received;
  timing.messages_sent = last->messages_sent;
  timing.messages_received = last->messages_received;
  timing.stages = schedule.stages();
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
