// The time of a pattern on a fabric, from its tables alone.
//
// Model. A message of b bytes, on whose path the fullest channel carries f flows of the same stage, lasts
// stage_seconds + b f / link_bytes_per_second. `synchronised` waits for the slowest message of every stage,
// as with a barrier between stages. `free_running` adds up each participant's own messages, as if others'
// delays did not reach it, and takes the slowest participant. A message within a host lasts stage_seconds.
//
// With the 1827 MB/s that Cavin and Demengeon measured on one crossbar, 113 us a stage, and images of
// 4096 x 2048 x 16 bytes this gives for their 12-ary 2-tree (frames/s, theirs in brackets): 12 nodes 14.6
// (14.5); 144 nodes in routing order 11.2 (11.5); 64 nodes 7.7 (8); 144 nodes with 4096 x 4096 pixels 6.2
// (5.8). These are `synchronised`. In alphabetical order they measured 6.5, for names that are not published:
// a random order gives 6.5 `free_running`, while with barriers it would be 3.5, and the mean participant
// alone would finish at a rate of 7.0.
//
// Rejected: a message that starts when both its ends are ready. It is the same where all messages of a stage
// are equal, but gives 4.2 for a random order, so their ends did not wait for each other's buffers.
#include <algorithm>
#include <list>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

namespace {

// What the messages of a participant add up to. In whole numbers, so that the order of stages is the same.
struct Sent {
  std::int64_t messages = 0;
  std::int64_t shared_bytes = 0;  // bytes times the flows that share the fullest channel
};

struct TimeWorker {
  StageCounter counter;
  std::vector<Sent> sent;  // by participant
  std::int64_t messages = 0;

  TimeWorker(const PathWalker& walker, const Placement& placement)
      : counter(walker, placement), sent(placement.size()) {}
};

void check_rates(double link_bytes_per_second, double stage_seconds) {
  if (!(link_bytes_per_second > 0)) {
    throw ArgumentError("a link of " + std::to_string(link_bytes_per_second) +
                        " bytes per second; expected more than 0");
  }
  if (!(stage_seconds >= 0)) {
    throw ArgumentError("a stage of " + std::to_string(stage_seconds) + " seconds; expected 0 or more");
  }
}

}  // namespace

PatternTime pattern_time(const Routes& routes, const Pattern& pattern, const Placement& placement,
                         double link_bytes_per_second, double stage_seconds, const AnalysisOptions& options) {
  check_rates(link_bytes_per_second, stage_seconds);
  check_placement(*routes.topology, pattern, placement);
  const PathWalker walker(routes);
  const std::int64_t stages = pattern.stages();
  std::vector<double> slowest(static_cast<std::size_t>(stages), 0), bandwidths(slowest);
  const auto seconds = [&](std::int64_t messages, std::int64_t shared_bytes) {
    return static_cast<double>(messages) * stage_seconds +
           static_cast<double>(shared_bytes) / link_bytes_per_second;
  };

  // Time every message.
  std::list<TimeWorker> states;
  const auto do_stage = [&](TimeWorker& state, std::size_t stage) {
    const std::vector<Flow> flows = pattern.flows(static_cast<std::int64_t>(stage));
    state.counter.count(flows);
    for (std::size_t i = 0; i < flows.size(); ++i) {
      const Flow& flow = flows[i];
      if (placement[static_cast<std::size_t>(flow.source)] < 0) continue;
      if (placement[static_cast<std::size_t>(flow.destination)] < 0) continue;
      const std::int64_t shared_bytes = flow.bytes * state.counter.fullest(i);
      Sent& sent = state.sent[static_cast<std::size_t>(flow.source)];
      ++sent.messages;
      sent.shared_bytes += shared_bytes;
      const double duration = seconds(1, shared_bytes);
      slowest[stage] = std::max(slowest[stage], duration);
      if (shared_bytes > 0) {
        ++state.messages;
        bandwidths[stage] += static_cast<double>(flow.bytes) / duration;
      }
    }
  };
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(stages, 1, options); w > 0; --w) {
    states.emplace_back(walker, placement);
    workers.emplace_back([&do_stage, &state = states.back()](std::int64_t first, std::int64_t last,
                                                             const std::function<void()>& stage_done) {
      for (std::int64_t stage = first; stage < last; ++stage) {
        do_stage(state, static_cast<std::size_t>(stage));
        stage_done();
      }
    });
  }
  run_stages(stages, 1, options, workers);

  // Add up.
  PatternTime result;
  for (const double stage : slowest) result.synchronised += stage;
  std::int64_t messages = 0;
  for (const double stage : bandwidths) result.mean_bandwidth += stage;
  for (const TimeWorker& state : states) messages += state.messages;
  if (messages > 0) result.mean_bandwidth /= static_cast<double>(messages);
  for (std::size_t i = 0; i < placement.size(); ++i) {
    Sent sum;
    for (const TimeWorker& state : states) {
      sum.messages += state.sent[i].messages;
      sum.shared_bytes += state.sent[i].shared_bytes;
    }
    result.free_running = std::max(result.free_running, seconds(sum.messages, sum.shared_bytes));
  }
  return result;
}

}  // namespace sortlast::fabric
