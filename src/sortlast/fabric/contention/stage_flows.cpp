// One stage looked at closely: loads and who crosses a channel.
#include <algorithm>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stage_counter.hpp"

namespace sortlast::fabric {

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
