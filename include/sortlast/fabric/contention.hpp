// Contention: flows per link and stage of a pattern, the time that the pattern takes, and the best order of
// hosts.
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
  std::int32_t max_flows = 0;  // maximum over all stages and channels
  double mean_share = 1;  // mean over steps and flows of 1 / (maximum flows on a channel of the flow's path)
  std::int64_t worst_stage = 0;           // the first stage with max_flows ...
  Channel worst_channel = 0;              // ... and the first channel with them
  std::vector<std::int32_t> stage_max;    // by stage: maximum flows on a channel
  std::vector<double> stage_share;        // by stage: mean share of a flow
  std::vector<std::int64_t> histogram;    // [f]: how often, over steps, a used channel carries f flows
  std::vector<std::int32_t> channel_max;  // by channel: maximum flows over all stages

  bool contention_free() const { return max_flows <= 1; }
};

struct AnalysisOptions {
  std::int32_t threads = 0;  // 0: one per core available to the process
  Progress progress = {};
  std::int64_t path_bytes = std::int64_t{3} << 30;  // limit for stored paths, which save time
};

// Throws ArgumentError if the placement does not have one entry per participant, or if an entry is not a
// host.
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

// Time of a pattern. A message takes `stage_seconds` plus its bytes over its bandwidth, which is
// link_bytes_per_second divided by the number of flows on the fullest channel of its path. With
// link_bytes_per_second = 0 each link has its rate from the topology.
struct PatternTime {
  double synchronised = 0;       // every stage lasts as long as its slowest message [s]
  double free_running = 0;       // participants do not wait for each other: the slowest participant's sum [s]
  double mean_bandwidth = 0;     // mean over messages of bytes / duration [byte/s]
  double bound = 0;              // `synchronised`, if messages shared only the links of hosts [s]
  std::int64_t worst_stage = 0;  // the first stage with the slowest message of all ...
  Channel worst_channel = -1;    // ... and the channel on which it takes so long; -1: no messages
};
// Also throws ArgumentError if link_bytes_per_second is 0 and a link's rate is unknown, or if bytes add up to
// more than 2^63 - 1.
SORTLAST_API PatternTime pattern_time(const Routes& routes, const Pattern& pattern,
                                      const Placement& placement, double link_bytes_per_second,
                                      double stage_seconds, const AnalysisOptions& options = {});

// Time that a pattern takes at least under any routing, with this placement. Every stage needs the time of
// each host's own link, and the time in which the links that leave a switch, or a subtree of any height, can
// carry the messages that leave it, and likewise those that enter. This bound includes the taper of a tree.
// slow_links() count with the rate of their neighbours. Times, rates and errors are as in pattern_time().
SORTLAST_API double cut_bound(const Topology& topology, const Pattern& pattern, const Placement& placement,
                              double link_bytes_per_second, const AnalysisOptions& options = {});

// An order of a job's hosts in which a pattern does not contend, or contends as little as possible.
struct BestOrder {
  Placement placement;       // of the job's hosts; contains dummies only if they were allowed
  Contention contention;     // with this placement
  std::string how;           // name of the order, or a description of the search
  bool proven_best = false;  // no order is better: this one is contention-free, or `proof` holds
  std::string proof;  // why no order of these hosts is contention-free under this routing; empty: unknown
};

struct OrderOptions {
  bool dummies = false;     // places in the pattern may stay empty
  std::int64_t steps = -1;  // of the local search; -1: enough for some seconds
  double seconds = 60;      // limit of the local search in wall time; the best order so far remains
  std::uint64_t seed = 1;
  AnalysisOptions analysis = {};
  // Makes the pattern for p participants, dummies included; empty: shift.
  std::function<std::shared_ptr<const Pattern>(std::int32_t p)> pattern = {};
};

// Tries the known orders, then improves the best of them by annealing. An order is better if the pattern
// takes less time (`synchronised`, which is not computed for shifts). At equal time it is better if its mean
// share is higher and its max_flows is not, or if its max_flows is lower and its mean share is not. For shift
// the search may prove that no order is contention-free; with dummies there always is one. If the pattern is
// the same_in_any_order(), nothing is searched. A progress function that returns false ends the search, with
// the best order so far. Throws
// ArgumentError if `hosts` is empty, contains a host twice, or contains a host that does not exist.
SORTLAST_API BestOrder best_order(const Routes& routes, const std::vector<std::int32_t>& hosts,
                                  const OrderOptions& options = {});

}  // namespace sortlast::fabric
