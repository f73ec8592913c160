// Searches for an order with fewer pairs of flows on the same channel, and a proof that every order has some.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/stages.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

// Flows of a pattern between a job's hosts, added and removed one by one. `job` numbers are places in the
// list of hosts. The hosts' own channels are left out: a participant's flows cross them in any order.
class OrderLoads {
 public:
  // Nothing if it needs more than most_bytes.
  static std::optional<OrderLoads> make(const PathWalker& walker, const std::vector<std::int32_t>& hosts,
                                        const Pattern& pattern, std::int64_t most_bytes);

  // A flow from the point of view of a participant.
  struct End {
    std::int32_t stage = 0;
    std::int32_t other = 0;  // participant
    bool sends = false;
  };
  std::int32_t participants() const { return static_cast<std::int32_t>(first_end_.size()) - 1; }
  // Mean number of flows of a participant, over all stages.
  std::int64_t flows_a_participant() const {
    return static_cast<std::int64_t>(ends_.size()) / std::max(1, participants());
  }
  std::span<const End> ends(std::int32_t participant) const {
    const std::size_t first = first_end_[static_cast<std::size_t>(participant)];
    return {ends_.data() + first, first_end_[static_cast<std::size_t>(participant) + 1] - first};
  }

  // Weight of a pair of flows that share a channel at a stage: the length of the stage divided by the mean of
  // all stages.
  double weight(std::int32_t stage) const {
    return weights_.empty() ? 1 : weights_[static_cast<std::size_t>(stage)];
  }

  // Adds a flow, or removes one; returns how many pairs of flows that share a channel were added or removed.
  std::int64_t add(std::int32_t source_job, std::int32_t destination_job, std::int32_t stage) {
    std::int64_t pairs = 0;
    std::int32_t* const load = stage_loads(stage);
    for (const Channel c : path(source_job, destination_job)) pairs += load[c]++;
    return pairs;
  }
  std::int64_t remove(std::int32_t source_job, std::int32_t destination_job, std::int32_t stage) {
    std::int64_t pairs = 0;
    std::int32_t* const load = stage_loads(stage);
    for (const Channel c : path(source_job, destination_job)) pairs += --load[c];
    return pairs;
  }

 private:
  std::int32_t* stage_loads(std::int32_t stage) {
    return loads_.data() + static_cast<std::size_t>(stage) * static_cast<std::size_t>(channels_);
  }
  std::span<const Channel> path(std::int32_t source, std::int32_t destination) const {
    return paths_.row(static_cast<std::size_t>(place_[static_cast<std::size_t>(source)]) * place_.size() +
                      static_cast<std::size_t>(destination));
  }
  // Returns a lower bound of the bytes that find_paths() needs.
  std::int64_t number_places(const PathWalker& walker, const std::vector<std::int32_t>& hosts);
  void find_paths(const PathWalker& walker, const std::vector<std::int32_t>& hosts);
  void weigh(const Pattern& pattern);
  // False if they need more than most_bytes.
  bool list_ends(const Pattern& pattern, std::int64_t most_bytes);

  std::vector<std::int32_t> place_;    // by job: sources with the same place have the same paths
  std::vector<std::int32_t> sources_;  // by place: one of its hosts
  PathRows paths_;                     // from each place to each job, with channels renumbered
  Channel channels_ = 0;               // on any path
  std::vector<double> weights_;        // by stage; empty: all are equal
  std::vector<std::size_t> first_end_;
  std::vector<End> ends_;
  std::vector<std::int32_t> loads_;  // by stage, by channel
};

// The job at each place of the pattern; -1: none.
using JobOrder = std::vector<std::int32_t>;

// Swaps places at random, and accepts worse orders less and less often, until no flows share a channel, the
// steps are used up, `until` has passed, or `progress` returns false. `switches`: by job; half of the swaps
// are within a switch. `loads` must be empty, and is not empty afterwards.
struct Annealed {
  JobOrder order;          // the best one found
  double pairs = 0;        // of flows that share a channel, weighted by stage
  std::int64_t steps = 0;  // steps taken
  bool stopped = false;    // by the time or by `progress`
};
Annealed anneal(OrderLoads& loads, JobOrder order, const std::vector<std::int32_t>& switches,
                std::int64_t steps, std::chrono::steady_clock::time_point until, SplitMix64 random,
                const Progress& progress);

// Tries all orders without dummies, pruning beginnings that already contend. `rotates`: rotating an order
// changes nothing, as in a shift.
struct Exhausted {
  std::optional<JobOrder> order;  // the first one without a pair
  std::int64_t tried = 0;         // beginnings of orders
  bool complete = false;          // there is no other order; false: one was found, or the limit was reached
};
Exhausted try_all_orders(OrderLoads& loads, bool rotates, std::int64_t limit);

// The first channel between switches with the maximum number of pairs (source, destination) of distinct hosts
// across it, and that number. A shift of n hosts has n - 1 stages, with every pair in one of them: if there
// are more pairs than stages, some stage has two flows on the channel.
struct Demand {
  Channel channel = -1;  // -1: no pair crosses any
  std::int64_t pairs = 0;
};
Demand greatest_demand(const PathWalker& walker, const std::vector<std::int32_t>& hosts);

}  // namespace sortlast::fabric
