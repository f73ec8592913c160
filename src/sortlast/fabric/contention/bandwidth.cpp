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
#include <numeric>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/random.hpp"

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

// Effective bisection bandwidth (Hoefler, Schneider, Lumsdaine: "Multistage switches are not crossbars:
// effects of static routing in high-performance networks", 2008).
//
// A sample cuts the hosts at random into two halves, and pairs each host of the one with one of the other; of
// an odd number one host stays out. `one_way` is the mean share of a flow if the first half sends to the
// second, `both_ways` if all send to their partners at once. Hosts then send and receive as before, but links
// between switches carry twice the flows, so that the same fabric has a lower figure: of a figure without its
// definition nothing can be told.

namespace {

// The flows of a sample, one way.
std::vector<Flow> cut(std::vector<std::int32_t> participants, SplitMix64 random) {
  shuffle(participants, random);
  const std::size_t half = participants.size() / 2;
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < half; ++i) flows.push_back({participants[i], participants[half + i], 1});
  return flows;
}

double share_of(StageCounter& counter, const std::vector<Flow>& flows) {
  counter.count(flows);
  return Tally().end_stage({}, counter.flows_by_fullest());
}

void add_way_back(std::vector<Flow>& flows) {
  for (std::size_t i = 0, one_way = flows.size(); i < one_way; ++i) {
    flows.push_back({flows[i].destination, flows[i].source, flows[i].bytes});
  }
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The participants that are hosts, each of which must be there once.
std::vector<std::int32_t> participants_of(const Topology& topology, const Placement& placement) {
  check_hosts(topology, placement);
  std::vector<std::int32_t> result;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] >= 0) result.push_back(static_cast<std::int32_t>(i));
  }
  if (result.size() < 2) {
    throw ArgumentError("a bisection of " + std::to_string(result.size()) + " hosts; expected at least 2");
  }
  return result;
}

}  // namespace

Bisection bisection(const Routes& routes, const Placement& placement, std::int64_t samples,
                    std::uint64_t seed, const AnalysisOptions& options) {
  if (samples < 1) {
    throw ArgumentError("a bisection of " + std::to_string(samples) + " samples; expected at least 1");
  }
  const std::vector<std::int32_t> participants = participants_of(*routes.topology, placement);
  const PathWalker walker(routes);
  Bisection result;
  result.one_way_samples.resize(static_cast<std::size_t>(samples));
  result.both_ways_samples.resize(static_cast<std::size_t>(samples));

  std::list<StageCounter> counters;
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(samples, 1, options); w > 0; --w) {
    counters.emplace_back(walker, placement);
    workers.emplace_back([&, &counter = counters.back()](std::int64_t first, std::int64_t last,
                                                         const std::function<void()>& sample_done) {
      for (std::int64_t sample = first; sample < last; ++sample) {
        const auto at = static_cast<std::size_t>(sample);
        std::vector<Flow> flows = cut(participants, SplitMix64(seed, at));
        result.one_way_samples[at] = share_of(counter, flows);
        add_way_back(flows);
        result.both_ways_samples[at] = share_of(counter, flows);
        sample_done();
      }
    });
  }
  run_stages(samples, 1, options, workers);
  result.one_way = mean(result.one_way_samples);
  result.both_ways = mean(result.both_ways_samples);
  return result;
}

}  // namespace sortlast::fabric
