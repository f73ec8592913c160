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
#include <cmath>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/fabric/loads.hpp"

namespace sortlast::fabric {

namespace {

// Sums over the messages of a participant, in integers so that they do not depend on the order of stages.
struct Sent {
  std::int64_t messages = 0;
  std::int64_t shared_bytes = 0;  // bytes times the flows that share the fullest channel
};

void check_rates(double link_bytes_per_second, double stage_seconds) {
  if (!(link_bytes_per_second >= 0)) {
    throw ArgumentError("a link of " + std::to_string(link_bytes_per_second) +
                        " bytes per second; expected more than 0, or 0 for the topology's own rates");
  }
  if (!(stage_seconds >= 0)) {
    throw ArgumentError("a stage of " + std::to_string(stage_seconds) + " seconds; expected 0 or more");
  }
}

// Rates of links: the fastest, and the factor by which each other link is slower.
class Rates {
 public:
  Rates(const Topology& topology, double link_bytes_per_second) : fastest_(link_bytes_per_second) {
    if (link_bytes_per_second > 0) return;
    for (Channel c = 0; c < topology.channels(); ++c) {
      if (!topology.target(c).connected()) continue;
      if (!(topology.gbps(c) > 0)) {
        std::string link = describe_channels(topology, {c});
        link.erase(link.find_last_not_of('\n') + 1);
        throw ArgumentError("the rate of " + link + " is not known; give that of a link in bytes per second");
      }
      fastest_ = std::max(fastest_, data_rate(topology.gbps(c)));
    }
    slower_.resize(static_cast<std::size_t>(topology.channels()), 1);
    bool alike = true;
    for (Channel c = 0; c < topology.channels(); ++c) {
      if (!topology.target(c).connected()) continue;
      slower_[static_cast<std::size_t>(c)] = fastest_ / data_rate(topology.gbps(c));
      alike = alike && slower_[static_cast<std::size_t>(c)] == 1;
    }
    if (alike) slower_.clear();
  }

  double fastest() const { return fastest_; }

  // Bytes of a message that takes as long alone on the fastest link.
  std::int64_t shared(std::span<const Channel> path, const std::vector<std::int32_t>& loads,
                      std::int64_t bytes) const {
    std::int32_t most = 0;
    double slowest = 0;
    for (const Channel c : path) {
      const std::int32_t load = loads[static_cast<std::size_t>(c)];
      most = std::max(most, load);
      if (!slower_.empty()) slowest = std::max(slowest, load * slower_[static_cast<std::size_t>(c)]);
    }
    if (slower_.empty()) return times(bytes, most);
    const double shared = static_cast<double>(bytes) * slowest;
    if (!(shared < 0x1p62)) refuse();
    return std::llround(shared);
  }

  // Throws ArgumentError if the product is more than 2^63 - 1.
  static std::int64_t times(std::int64_t bytes, std::int64_t factor) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(bytes, factor, &product)) refuse();
    return product;
  }
  static std::int64_t plus(std::int64_t bytes, std::int64_t more) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(bytes, more, &sum)) refuse();
    return sum;
  }

 private:
  [[noreturn]] static void refuse() {
    throw ArgumentError(
        "a pattern whose bytes, times the flows that share their links, are more than 2^63 - 1; make its "
        "messages shorter");
  }

  double fastest_ = 0;
  std::vector<double> slower_;  // by channel; empty: all have the same rate
};

// Computes the time of single stages.
class TimeWorker {
 public:
  TimeWorker(const PathWalker& walker, const Pattern& pattern, const Placement& placement, const Rates& rates)
      : counter_(walker, placement),
        pattern_(pattern),
        placement_(placement),
        rates_(rates),
        sent_(placement.size()) {}

  // Time of the slowest message of a stage, and of the slowest one if only host links were shared, both in
  // bytes; and the sum of the messages' bandwidths, given stage_seconds per message.
  struct Stage {
    std::int64_t slowest = 0, bound = 0, messages = 0;
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
      by_source.shared_bytes = Rates::plus(by_source.shared_bytes, Rates::times(shared, repeats));
      result.any = true;
      result.slowest = std::max(result.slowest, shared);
      if (path.empty()) continue;
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
  const Rates& rates_;
  std::vector<Sent> sent_;  // by participant
};

}  // namespace

PatternTime pattern_time(const Routes& routes, const Pattern& pattern, const Placement& placement,
                         double link_bytes_per_second, double stage_seconds, const AnalysisOptions& options) {
  check_rates(link_bytes_per_second, stage_seconds);
  check_placement(*routes.topology, pattern, placement);
  const PathWalker walker(routes);
  const Rates rates(*routes.topology, link_bytes_per_second);
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
  std::int64_t messages = 0;
  for (std::int64_t stage = 0; stage < stages; ++stage) {
    const TimeWorker::Stage& one = timed[static_cast<std::size_t>(stage)];
    if (!one.any) continue;
    const auto repeats = static_cast<double>(pattern.repeats(stage));
    result.synchronised += repeats * seconds(1, one.slowest);
    result.bound += repeats * seconds(1, one.bound);
    result.mean_bandwidth += one.bandwidths;
    messages += one.messages;
  }
  if (messages > 0) result.mean_bandwidth /= static_cast<double>(messages);
  for (std::size_t i = 0; i < placement.size(); ++i) {
    Sent sum;
    for (const TimeWorker& state : states) {
      sum.messages += state.sent(i).messages;
      sum.shared_bytes = Rates::plus(sum.shared_bytes, state.sent(i).shared_bytes);
    }
    result.free_running = std::max(result.free_running, seconds(sum.messages, sum.shared_bytes));
  }
  return result;
}

}  // namespace sortlast::fabric
