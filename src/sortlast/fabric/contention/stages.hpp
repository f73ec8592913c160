// Stages: paths of flows, loads of the channels at one stage, sums over many stages, and their distribution
// to threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Channels of paths, one row per path; every row has room for the longest path so far. 4 bytes per channel.
class PathRows {
 public:
  void resize(std::size_t rows);
  std::size_t rows() const { return lengths_.size(); }
  std::span<const Channel> row(std::size_t r) const {
    return {cells_.data() + r * stride_, static_cast<std::size_t>(lengths_[r])};
  }
  void clear(std::size_t r) { lengths_[r] = 0; }
  void append(std::size_t r, Channel c) {
    if (static_cast<std::size_t>(lengths_[r]) == stride_) widen();
    cells_[r * stride_ + static_cast<std::size_t>(lengths_[r]++)] = c;
  }

 private:
  void widen();

  std::size_t stride_ = 4;
  std::vector<Channel> cells_;
  std::vector<std::int32_t> lengths_;
};

// walk() without its cost. Several threads may use it at once.
class PathWalker {
 public:
  explicit PathWalker(const Routes& routes);

  // Fills row r with the channels between the switch of `source` and the switch of `destination`, without the
  // hosts' own; none if both hosts are on one switch. Throws as walk() does.
  void walk_inner(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;
  // The same with the first channel, which leaves `source`, and the last, which enters `destination`; none if
  // they are the same host.
  void walk_whole(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;

  // Whether hosts of one switch have the same inner path to any destination.
  bool by_switch() const { return planes_ == 1; }
  const Topology& topology() const { return *routes_.topology; }
  std::int32_t switch_of_host(std::int32_t h) const { return switch_of_host_[static_cast<std::size_t>(h)]; }
  Channel ejection(std::int32_t h) const { return ejection_[static_cast<std::size_t>(h)]; }

 private:
  void walk_on(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const;

  Routes routes_;
  const Forwarding& forwarding_;
  std::int32_t planes_;
  std::vector<std::int32_t> switch_of_host_;  // by host
  std::vector<Channel> ejection_;             // by host: the channel from its switch to it
  std::vector<Channel> first_channel_;        // by switch: channel of its port 1; one more entry at the end
  std::vector<std::int32_t> next_switch_;     // by channel: the switch that it leads to; -1: none
};

class PathCache {
 public:
  // Nothing if the paths depend on more than the source's switch, or need more than `most_bytes`. Uses
  // options.threads threads. Throws as walk() does.
  static std::optional<PathCache> make(const PathWalker& walker, const Placement& placement,
                                       std::int64_t most_bytes, const AnalysisOptions& options);

  static constexpr Channel end = -1;  // after the last channel of a path

  // Number of channels of the longest path.
  std::size_t stride() const { return stride_; }
  // Paths from participant i's switch to participants 0, 1, ...: `stride` channels each, `end` after the
  // last. Undefined for dummies.
  const Channel* from(std::int32_t i) const {
    return cells_.data() +
           static_cast<std::size_t>(place_[static_cast<std::size_t>(i)]) * place_.size() * stride_;
  }

 private:
  // Fills the paths from place `place`, the place of participant `source`; false: one of them is too long.
  bool fill(const PathWalker& walker, const Placement& placement, std::int32_t source, std::int32_t place);
  bool fill_all(const PathWalker& walker, const Placement& placement,
                const std::vector<std::int32_t>& sources, const AnalysisOptions& options);

  std::size_t stride_ = 1;
  std::vector<std::int32_t> place_;  // by participant: number of its switch; -1: dummy
  std::vector<Channel> cells_;
};

// Current flows on every channel, with the number of channels by load, so that neither the fullest load nor
// the histogram needs a pass over the channels.
class ChannelLoads {
 public:
  explicit ChannelLoads(Channel channels)
      : load_(static_cast<std::size_t>(channels), 0),
        most_(static_cast<std::size_t>(channels), 0),
        now_(2, 0) {}

  void add(std::span<const Channel> path) {
    for (const Channel c : path) {
      const std::int32_t f = ++load_[static_cast<std::size_t>(c)];
      std::int32_t& most = most_[static_cast<std::size_t>(c)];
      most = std::max(most, f);
      if (f > top_) raise_top(f);
      --now_[static_cast<std::size_t>(f) - 1];
      ++now_[static_cast<std::size_t>(f)];
    }
  }

  void remove(std::span<const Channel> path) {
    for (const Channel c : path) {
      const std::int32_t f = load_[static_cast<std::size_t>(c)]--;
      --now_[static_cast<std::size_t>(f)];
      ++now_[static_cast<std::size_t>(f) - 1];
    }
  }

  void clear() {
    std::fill(load_.begin(), load_.end(), 0);
    std::fill(now_.begin(), now_.end(), 0);
    top_ = 0;
  }

  // Maximum flows on a channel.
  std::int32_t top() {
    while (top_ > 0 && now_[static_cast<std::size_t>(top_)] == 0) --top_;
    return top_;
  }

  // Maximum flows on a channel of a path, which must have been added; 0 if it has no channels.
  std::int32_t fullest(std::span<const Channel> path) const {
    std::int32_t most = 0;
    for (const Channel c : path) most = std::max(most, load_[static_cast<std::size_t>(c)]);
    return most;
  }

  // [f]: channels that carry f flows, f from 1; element 0 is meaningless.
  std::span<const std::int64_t> channels_by_load() const { return now_; }
  const std::vector<std::int32_t>& loads() const { return load_; }
  // By channel: maximum flows since construction.
  const std::vector<std::int32_t>& most() const { return most_; }

 private:
  void raise_top(std::int32_t f) {
    top_ = f;
    if (static_cast<std::size_t>(f) >= now_.size()) now_.resize(2 * static_cast<std::size_t>(f), 0);
  }

  std::vector<std::int32_t> load_;
  std::vector<std::int32_t> most_;
  std::vector<std::int64_t> now_;
  std::int32_t top_ = 0;  // upper bound of all loads
};

// Sums over stages, in integers so that they do not depend on the order of addition.
class Tally {
 public:
  // Ends a stage that happens `times` times, in which `flows_by_fullest[m]` flows have m flows on the fullest
  // channel of their path. Returns the mean share of its flows.
  double end_stage(std::span<const std::int64_t> channels_by_load,
                   std::span<const std::int64_t> flows_by_fullest, std::int64_t times = 1);
  // Adds `times` uses of a channel by f flows.
  void add_uses(std::size_t f, std::int64_t times);
  void merge(const Tally& other);

  std::int64_t flows() const;
  double mean_share() const;
  // [f]: uses of a channel by f flows. No zeros at the end, except for element 0, which is 0.
  std::vector<std::int64_t> histogram() const;

 private:
  std::vector<std::int64_t> uses_;
  std::vector<std::int64_t> flows_by_fullest_;
};

// Throws ArgumentError unless each entry is a host or -1.
void check_hosts(const Topology& topology, const Placement& placement);
// The same, and unless the placement has one entry per participant.
void check_placement(const Topology& topology, const Pattern& pattern, const Placement& placement);

// Holds the flows of one stage at a time, 4 bytes per channel of their paths.
class StageCounter {
 public:
  StageCounter(const PathWalker& walker, const Placement& placement);

  // Removes the previous stage, and puts these flows on the channels.
  void count(std::span<const Flow> flows);
  // Channels of flow i; none if one of its ends is a dummy, or both are the same host.
  std::span<const Channel> path(std::size_t i) const { return rows_.row(i); }
  // Maximum flows on a channel of flow i's path; 0 if it has none.
  std::int32_t fullest(std::size_t i) const { return loads_.fullest(rows_.row(i)); }
  // [m]: flows with m flows on their fullest channel.
  const std::vector<std::int64_t>& flows_by_fullest();
  ChannelLoads& loads() { return loads_; }
  const ChannelLoads& loads() const { return loads_; }

 private:
  const PathWalker& walker_;
  const Placement& placement_;
  PathRows rows_;
  ChannelLoads loads_;
  std::vector<std::int64_t> flows_by_fullest_;
};

// Collects the progress of the workers, and stops them.
class StageMonitor {
 public:
  StageMonitor(std::int64_t stages, const Progress& progress) : stages_(stages), progress_(progress) {}

  // Called after every stage; throws if work should stop. With `reports` this thread calls the progress
  // function, now and then.
  void stage_done(bool reports);
  void stop() { stopped_ = true; }

 private:
  std::int64_t stages_;
  const Progress& progress_;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Executes the stages first .. last - 1 and calls stage_done() after each.
using StageWorker =
    std::function<void(std::int64_t first, std::int64_t last, const std::function<void()>& stage_done)>;

// Number of workers worth having for `stages` stages in blocks of at least `block`.
std::size_t stage_workers(std::int64_t stages, std::int64_t block, const AnalysisOptions& options);

// Gives blocks of stages to the workers, one thread per worker. The calling thread is one of them, and only
// it calls options.progress. An exception from a worker or the progress function stops the others and is
// rethrown here.
void run_stages(std::int64_t stages, std::int64_t block, const AnalysisOptions& options,
                const std::vector<StageWorker>& workers);

// Counts a shift of all participants without walking every flow (shift_contention.cpp). Fills stage_max,
// stage_share and channel_max of `result`, which must have their sizes, and `tally`. The hosts of the
// placement must be distinct.
void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally);

}  // namespace sortlast::fabric
