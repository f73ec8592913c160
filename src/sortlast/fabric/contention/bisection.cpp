// Effective bisection bandwidth (Hoefler, Schneider, Lumsdaine: "Multistage switches are not crossbars:
// effects of static routing in high-performance networks", 2008).
//
// A sample splits the hosts at random into two halves and pairs each host of one half with a host of the
// other; if their number is odd, one host is left out. `one_way` is the mean share of a flow if the first
// half sends to the second, `both_ways` if all hosts send to their partners at once. With `both_ways` hosts
// still send and receive one flow each, but links between switches carry twice the flows. The same fabric
// then has a lower figure, so a figure without its definition is meaningless.
#include <list>
#include <numeric>
#include <string>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

namespace {

// The flows of a sample in one direction.
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

// The participants that are hosts; no host may occur twice.
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
