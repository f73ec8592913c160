// Contention of any pattern, stage by stage, and the loads and flows of a single stage.
#include <algorithm>
#include <list>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

namespace {

bool distinct_hosts(const Topology& topology, const Placement& placement) {
  std::vector<bool> used(static_cast<std::size_t>(topology.hosts()), false);
  for (const std::int32_t host : placement) {
    if (host < 0) continue;
    if (used[static_cast<std::size_t>(host)]) return false;
    used[static_cast<std::size_t>(host)] = true;
  }
  return true;
}

// Counts any pattern by walking every flow of every stage.
struct PlainWorker {
  StageCounter counter;
  Tally tally;

  PlainWorker(const PathWalker& walker, const Placement& placement) : counter(walker, placement) {}

  void do_stages(const Pattern& pattern, std::int64_t first, std::int64_t last, Contention& result,
                 const std::function<void()>& stage_done) {
    for (std::int64_t stage = first; stage < last; ++stage) {
      counter.count(pattern.flows(stage));
      const auto s = static_cast<std::size_t>(stage);
      result.stage_max[s] = counter.loads().top();
      result.stage_share[s] = tally.end_stage(counter.loads().channels_by_load(), counter.flows_by_fullest(),
                                              pattern.repeats(stage));
      stage_done();
    }
  }
};

void count_plainly(const PathWalker& walker, const Pattern& pattern, const Placement& placement,
                   const AnalysisOptions& options, Contention& result, Tally& tally) {
  std::list<PlainWorker> states;
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(result.stages, 1, options); w > 0; --w) {
    states.emplace_back(walker, placement);
    workers.emplace_back([&pattern, &result, &state = states.back()](
                             std::int64_t first, std::int64_t last, const std::function<void()>& stage_done) {
      state.do_stages(pattern, first, last, result, stage_done);
    });
  }
  run_stages(result.stages, 1, options, workers);
  for (const PlainWorker& state : states) {
    tally.merge(state.tally);
    const std::vector<std::int32_t>& most = state.counter.loads().most();
    for (std::size_t c = 0; c < most.size(); ++c) {
      result.channel_max[c] = std::max(result.channel_max[c], most[c]);
    }
  }
}

}  // namespace

Contention contention(const Routes& routes, const Pattern& pattern, const Placement& placement,
                      const AnalysisOptions& options) {
  const Topology& topology = *routes.topology;
  check_placement(topology, pattern, placement);

  // Count every stage.
  const PathWalker walker(routes);
  Contention result;
  result.stages = pattern.stages();
  result.steps = steps(pattern);
  result.stage_max.resize(static_cast<std::size_t>(result.stages), 0);
  result.stage_share.resize(static_cast<std::size_t>(result.stages), 1);
  result.channel_max.resize(static_cast<std::size_t>(topology.channels()), 0);
  Tally tally;
  if (pattern.is_shift() && distinct_hosts(topology, placement)) {
    count_shifts(walker, placement, options, result, tally);
  } else {
    count_plainly(walker, pattern, placement, options, result, tally);
  }

  // Sum up.
  result.flows = tally.flows();
  result.mean_share = tally.mean_share();
  result.histogram = tally.histogram();
  if (result.flows == 0) return result;
  const auto worst = std::max_element(result.stage_max.begin(), result.stage_max.end());
  result.max_flows = *worst;
  result.worst_stage = worst - result.stage_max.begin();
  const std::vector<std::int32_t> at_worst = loads(routes, pattern, placement, result.worst_stage);
  result.worst_channel =
      static_cast<Channel>(std::find(at_worst.begin(), at_worst.end(), result.max_flows) - at_worst.begin());
  return result;
}

namespace {

void check_stage(const Pattern& pattern, std::int64_t stage) {
  if (stage >= 0 && stage < pattern.stages()) return;
  throw ArgumentError("stage " + std::to_string(stage) + " of " + pattern.name() + "; it has " +
                      std::to_string(pattern.stages()) + ", counted from 0");
}

}  // namespace

std::vector<std::int32_t> loads(const Routes& routes, const Pattern& pattern, const Placement& placement,
                                std::int64_t stage) {
  check_placement(*routes.topology, pattern, placement);
  check_stage(pattern, stage);
  const PathWalker walker(routes);
  StageCounter counter(walker, placement);
  counter.count(pattern.flows(stage));
  return counter.loads().loads();
}

std::vector<Flow> crossing(const Routes& routes, const Pattern& pattern, const Placement& placement,
                           std::int64_t stage, Channel channel) {
  check_placement(*routes.topology, pattern, placement);
  check_stage(pattern, stage);
  if (channel < 0 || channel >= routes.topology->channels()) {
    throw ArgumentError("channel " + std::to_string(channel) + " does not exist: there are " +
                        std::to_string(routes.topology->channels()));
  }
  const PathWalker walker(routes);
  StageCounter counter(walker, placement);
  const std::vector<Flow> flows = pattern.flows(stage);
  counter.count(flows);
  std::vector<Flow> result;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const auto path = counter.path(i);
    if (std::find(path.begin(), path.end(), channel) != path.end()) result.push_back(flows[i]);
  }
  return result;
}

}  // namespace sortlast::fabric
