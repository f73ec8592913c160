// Contention: how many flows of a pattern share each link at each stage, how long that takes, and which order
// of hosts has least of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/pattern.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/progress.hpp"

namespace sortlast::fabric {

struct Contention {
  std::int64_t stages = 0;     // of the pattern
  std::int64_t steps = 0;      // stages with their repetitions
  std::int64_t flows = 0;      // of all steps
  std::int32_t max_flows = 0;  // most flows on any channel over all stages
  double mean_share = 1;  // mean over steps and flows of 1 / (most flows on a channel of the flow's path)
  std::int64_t worst_stage = 0;         // the first stage with max_flows ...
  Channel worst_channel = 0;            // ... and the first channel that has them
  std::vector<std::int32_t> stage_max;  // by stage: most flows on a channel
  std::vector<double> stage_share;      // by stage: mean share of a flow
  std::vector<std::int64_t> histogram;  // [f]: how often, over steps, a channel that is used carries f flows
  std::vector<std::int32_t> channel_max;  // by channel: most flows over all stages

  bool contention_free() const { return max_flows <= 1; }
};

struct AnalysisOptions {
  std::int32_t threads = 0;  // 0: one for each core that the process may use
  Progress progress = {};
  std::int64_t path_bytes = std::int64_t{3} << 30;  // may be spent to hold paths, where that is faster
};

// Throws ArgumentError if the placement does not have one entry a participant, or an entry is no host.
SORTLAST_API Contention contention(const Routes& routes, const Pattern& pattern, const Placement& placement,
                                   const AnalysisOptions& options = {});

// Flows on each channel at one stage.
SORTLAST_API std::vector<std::int32_t> loads(const Routes& routes, const Pattern& pattern,
                                             const Placement& placement, std::int64_t stage);
// The flows of a stage that cross a channel.
SORTLAST_API std::vector<Flow> crossing(const Routes& routes, const Pattern& pattern,
                                        const Placement& placement, std::int64_t stage, Channel channel);

// Effective bisection bandwidth: mean over random bisections of the mean share of a flow (Hoefler et al.
// 2008). one_way: one half sends to the other; both_ways: both send to each other at once.
struct Bisection {
  double one_way = 0, both_ways = 0;
  std::vector<double> one_way_samples, both_ways_samples;
};
SORTLAST_API Bisection bisection(const Routes& routes, const Placement& placement, std::int64_t samples,
                                 std::uint64_t seed, const AnalysisOptions& options = {});

// Time of a pattern: a message lasts `stage_seconds` and its bytes at link_bytes_per_second divided among the
// flows on the fullest channel of its path. link_bytes_per_second 0: each link has the rate of the topology.
struct PatternTime {
  double synchronised = 0;    // every stage lasts as long as its slowest message [s]
  double free_running = 0;    // every participant goes on by itself: the slowest participant's sum [s]
  double mean_bandwidth = 0;  // mean over messages of bytes / duration [byte/s]
  double bound = 0;           // `synchronised`, if messages shared the links of hosts alone [s]
};
// Throws ArgumentError also for a rate that is 0 and not known, and bytes that add up to more than 2^63 - 1.
SORTLAST_API PatternTime pattern_time(const Routes& routes, const Pattern& pattern,
                                      const Placement& placement, double link_bytes_per_second,
                                      double stage_seconds, const AnalysisOptions& options = {});

// In which order a job's hosts should take part, so that a pattern does not contend.
struct BestOrder {
  Placement placement;       // of the job's hosts; may hold dummies if they were allowed
  Contention contention;     // under it
  std::string how;           // which order it is, or what the search did
  bool proven_best = false;  // no order does better: either it is free, or `proof` holds
  std::string proof;         // why no order of these hosts can be free under this routing; empty: not known
};

struct OrderOptions {
  bool dummies = false;     // places in the pattern may stay empty
  std::int64_t steps = -1;  // of the local search; -1: as many as take some seconds
  std::uint64_t seed = 1;
  AnalysisOptions analysis = {};
  // The pattern of p participants, dummies among them; empty: shift.
  std::function<std::shared_ptr<const Pattern>(std::int32_t p)> pattern = {};
};

// Tries the known orders, then improves the best of them by annealing. An order is better if the pattern
// takes less time (`synchronised`; of shifts this is not asked), or as much and its mean share is higher and
// its max_flows are not, or the other way round. For shift it may prove that no order is free; with dummies
// there always is one. Throws ArgumentError: hosts that do not exist, occur twice or are none.
SORTLAST_API BestOrder best_order(const Routes& routes, const std::vector<std::int32_t>& hosts,
                                  const OrderOptions& options = {});

}  // namespace sortlast::fabric
