// The time of a pattern on a fabric, from its tables alone.
//
// Model. A message of b bytes takes stage_seconds + b f / link_bytes_per_second, where f is the number of
// flows of its stage on the fullest channel of its path. If links have different rates, the second term is
// the maximum of b f / rate over the channels of the path. `synchronised` waits for the slowest message of
// every stage, as with a barrier between stages. `free_running` adds up each participant's own messages, as
// if the delays of others did not affect it, and takes the slowest participant. A message within a host takes
// stage_seconds. `bound` is `synchronised` if messages shared only the links of hosts; no order of the hosts
// can be faster.
//
// With the 1827 MB/s that Cavin and Demengeon measured on one crossbar, 113 us per stage, and images of 4096
// x 2048 x 16 bytes, the model gives for their 12-ary 2-tree (frames/s, measurements in brackets): 12 nodes
// 14.6 (14.5); 144 nodes in routing order 11.2 (11.5); 64 nodes 7.7 (8); 144 nodes with 4096 x 4096 pixels
// 6.2 (5.8). These are `synchronised`. In alphabetical order they measured 6.5, with names that are not
// published: a random order gives 6.5 `free_running`, while barriers would give 3.5, and the mean participant
// alone would finish at a rate of 7.0.
//
// Rejected: a message that starts when both its ends are ready. This gives the same time if all messages of a
// stage are equal, but 4.2 for a random order, so in the measurement the ends did not wait for each other's
// buffers.
#include <algorithm>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/link_rates.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

namespace {

// Sums over the messages of a participant, in integers so that they do not depend on the order of stages.
struct Sent {
  std::int64_t messages = 0;
  std::int64_t shared_bytes = 0;  // bytes times the flows that share the fullest channel
};

// Computes the time of single stages.
class TimeWorker {
 public:
  TimeWorker(const PathWalker& walker, const Pattern& pattern, const Placement& placement,
             const LinkRates& rates)
      : counter_(walker, placement),
        pattern_(pattern),
        placement_(placement),
        rates_(rates),
        sent_(placement.size()) {}

  // Time of the slowest message of a stage, and of the slowest one if only host links were shared, both in
  // bytes; and the sum of the messages' bandwidths, given stage_seconds per message.
  struct Stage {
    std::int64_t slowest = 0, bound = 0, messages = 0;
    Channel slowest_channel = -1;  // on which the slowest message takes so long
    bool any = false;
    double bandwidths = 0;
  };
  Stage time(std::int64_t stage, double stage_seconds) {
    Stage result;
    const std::vector<Flow> flows = pattern_.flows(stage);
    const std::int64_t repeats = pattern_.repeats(stage);
    counter_.count(flows);
    const std::vector<std::int32_t>& loads = counter_.loads().loads();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const Flow& flow = flows[i];
      if (placement_[static_cast<std::size_t>(flow.source)] < 0) continue;
      if (placement_[static_cast<std::size_t>(flow.destination)] < 0) continue;
      const auto path = counter_.path(i);
      const std::int64_t shared = rates_.shared(path, loads, flow.bytes);
      Sent& by_source = sent_[static_cast<std::size_t>(flow.source)];
      by_source.messages += repeats;
      by_source.shared_bytes = LinkRates::plus(by_source.shared_bytes, LinkRates::times(shared, repeats));
      result.any = true;
      if (path.empty()) continue;
      if (result.slowest_channel < 0 || shared > result.slowest) {
        result.slowest = shared;
        result.slowest_channel = rates_.limiting(path, loads);
      }
      for (const auto& end : {path.first(1), path.last(1)}) {
        result.bound = std::max(result.bound, rates_.shared(end, loads, flow.bytes));
      }
      if (shared == 0) continue;
      result.messages += repeats;
      result.bandwidths += static_cast<double>(repeats) * static_cast<double>(flow.bytes) /
                           (stage_seconds + static_cast<double>(shared) / rates_.fastest());
    }
    return result;
  }

  const Sent& sent(std::size_t participant) const { return sent_[participant]; }

 private:
  StageCounter counter_;
  const Pattern& pattern_;
  const Placement& placement_;
  const LinkRates& rates_;
  std::vector<Sent> sent_;  // by participant
};

}  // namespace

PatternTime pattern_time(const Routes& routes, const Pattern& pattern, const Placement& placement,
                         double link_bytes_per_second, double stage_seconds, const AnalysisOptions& options) {
  if (!(stage_seconds >= 0)) {
    throw ArgumentError("a stage of " + std::to_string(stage_seconds) + " seconds; expected 0 or more");
  }
  check_placement(*routes.topology, pattern, placement);
  const PathWalker walker(routes);
  const LinkRates rates(*routes.topology, link_bytes_per_second);
  const std::int64_t stages = pattern.stages();

  // Time every message.
  std::vector<TimeWorker::Stage> timed(static_cast<std::size_t>(stages));
  std::list<TimeWorker> states;
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(stages, 1, options); w > 0; --w) {
    states.emplace_back(walker, pattern, placement, rates);
    workers.emplace_back([&timed, stage_seconds, &state = states.back()](
                             std::int64_t first, std::int64_t last, const std::function<void()>& stage_done) {
      for (std::int64_t stage = first; stage < last; ++stage) {
        timed[static_cast<std::size_t>(stage)] = state.time(stage, stage_seconds);
        stage_done();
      }
    });
  }
  run_stages(stages, 1, options, workers);

  // Add up.
  const auto seconds = [&](std::int64_t messages, std::int64_t shared_bytes) {
    return static_cast<double>(messages) * stage_seconds +
           static_cast<double>(shared_bytes) / rates.fastest();
  };
  PatternTime result;
  std::int64_t messages = 0, worst = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const TimeWorker::Stage& one = timed[static_cast<std::size_t>(stage)];
    if (!one.any) continue;
    const auto repeats = static_cast<double>(pattern.repeats(stage));
    result.synchronised += repeats * seconds(1, one.slowest);
    result.bound += repeats * seconds(1, one.bound);
    if (one.slowest_channel >= 0 && (result.worst_channel < 0 || one.slowest > worst)) {
      worst = one.slowest;
      result.worst_stage = stage;
      result.worst_channel = one.slowest_channel;
    }
    result.mean_bandwidth += one.bandwidths;
    messages += one.messages;
  }
  if (messages > 0) result.mean_bandwidth /= static_cast<double>(messages);
  for (std::size_t i = 0; i < placement.size(); ++i) {
    Sent sum;
    for (const TimeWorker& state : states) {
      sum.messages += state.sent(i).messages;
      sum.shared_bytes = LinkRates::plus(sum.shared_bytes, state.sent(i).shared_bytes);
    }
    result.free_running = std::max(result.free_running, seconds(sum.messages, sum.shared_bytes));
  }
  return result;
}

}  // namespace sortlast::fabric
