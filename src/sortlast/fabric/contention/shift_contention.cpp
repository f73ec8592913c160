// All shifts of a placement, counted without walking every flow.
//
// Problem. p participants have p (p - 1) flows in p - 1 stages: 136 million for 11,664 hosts, 4.3 billion for
// 65,536, each over up to six channels. Walking them one by one takes 60 s and half an hour.
//
// Model. A switch forwards by destination alone, so all hosts of a leaf have the same path to a destination.
// A range [a, b) consists of consecutive participants on one leaf. At shift s it sends to its window, the
// destinations a + s .. b - 1 + s, over paths that depend only on the destination. It therefore does not
// matter who in the range sends to whom, and from shift s - 1 to s one path enters the window and one leaves
// it. A stage costs two paths per leaf instead of one per host; loads, their histogram and the fullest
// channel are updated incrementally (stages.hpp). The paths of all windows are stored in p rows, so that a
// path is walked once, when it enters, and a stage with contention can read the path of every flow to compute
// its share. Channels of hosts never carry more than one flow and are left out. Memory per thread: 4 bytes
// per channel of p paths, and 8 per channel of the fabric.
//
// If the hosts are scattered (more than half as many ranges as participants), windows share nothing. Every
// flow is then counted, but its path is read from a cache of switches x p paths, 4 bytes per channel, up to
// AnalysisOptions::path_bytes; without room for the cache it is walked. Paths to consecutive participants are
// adjacent in memory, and four stages are counted at once, so that the next four flows of a participant are
// one cache line.
//
// If paths depend on the source (several planes), every participant is a separate range.
//
// Rejected: a difference array over shifts for each channel, with its prefix sum (p times the number of
// channels: as many steps as channels crossed by all flows, though simpler ones); storing the path of every
// pair in routing order (no faster, and gigabytes).
//
// Threads take blocks of consecutive stages. Sums are integers, so results do not depend on the assignment of
// blocks.
//
// Measured processor time in seconds on a core of a 2-core cloud machine; two threads halve the elapsed time:
//
//                                       11,664 hosts            65,536 hosts
//     D-mod-K, routing order            0.40 s,   7 MB          9.7 s,  27 MB
//     tables, routing order             0.54 s,  27 MB         44   s, 372 MB
//     tables, 7 hosts missing           1.1  s,  27 MB                           (every stage contends)
//     D-mod-K, random order         3.7-6.9  s, 122 MB
#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

namespace {

// Consecutive participants [begin, end) on one switch, without dummies.
struct LeafRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - begin; }
};

// The ranges of a placement. Ranges on one switch are adjacent, because their paths share channels. If paths
// depend on the source host, every participant is a separate range.
std::vector<LeafRange> leaf_ranges(const PathWalker& walker, const Placement& placement) {
  std::vector<LeafRange> ranges;
  const auto home = [&](std::int32_t i) {
    return walker.switch_of_host(placement[static_cast<std::size_t>(i)]);
  };
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(placement.size()); ++i) {
    if (placement[static_cast<std::size_t>(i)] < 0) continue;
    const bool joins =
        walker.by_switch() && !ranges.empty() && ranges.back().end == i && home(i - 1) == home(i);
    if (joins) {
      ++ranges.back().end;
    } else {
      ranges.push_back({i, i + 1});
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [&](LeafRange a, LeafRange b) { return home(a.begin) < home(b.begin); });
  return ranges;
}

// Counts for one thread. Channels of hosts are left out: a host sends to one host and receives from one, so
// they never carry more than one flow.
class ShiftSweep {
 public:
  virtual ~ShiftSweep() = default;
  // Stage s is shift s + 1. Fills elements first .. last - 1 of stage_max and stage_share.
  virtual void do_stages(std::int64_t first, std::int64_t last, Contention& result,
                         const std::function<void()>& stage_done) = 0;
  virtual const Tally& tally() const = 0;
  // By channel: maximum flows in any stage so far.
  virtual const std::vector<std::int32_t>& most() const = 0;
};

// Keeps the flows of a stage and applies the changes to the next one, or, if `afresh`, finds all of them
// again. Holds 4 bytes per channel of a stage's paths, and 8 per channel.
class SlidingSweep final : public ShiftSweep {
 public:
  SlidingSweep(const PathWalker& walker, const Placement& placement, const std::vector<LeafRange>& ranges,
               bool afresh)
      : walker_(walker),
        placement_(placement),
        ranges_(ranges),
        afresh_(afresh),
        is_flow_(placement.size(), false),
        loads_(walker.topology().channels()) {
    rows_.resize(placement.size());
  }

  void do_stages(std::int64_t first, std::int64_t last, Contention& result,
                 const std::function<void()>& stage_done) override {
    for (std::int64_t stage = first; stage < last; ++stage) {
      if (stage == first || afresh_) {
        put_on_all(stage + 1);
      } else {
        slide_to(stage + 1);
      }
      end_stage(static_cast<std::size_t>(stage), result);
      stage_done();
    }
  }

  const Tally& tally() const override { return tally_; }
  const std::vector<std::int32_t>& most() const override { return loads_.most(); }

 private:
  // The window of a range [a, b) at shift s is the destinations a + s .. b - 1 + s. The path to a + s + j is
  // in row a + (s + j) mod (b - a): the path that enters the window replaces the one that leaves it.
  static std::size_t row_of(LeafRange range, std::int64_t shift_and_j) {
    return static_cast<std::size_t>(range.begin + shift_and_j % range.size());
  }

  void put_on(LeafRange range, std::size_t row, std::int64_t to) {
    const auto p = static_cast<std::int64_t>(placement_.size());
    const std::int32_t destination = placement_[static_cast<std::size_t>(to % p)];
    is_flow_[row] = destination >= 0;
    rows_.clear(row);
    if (destination < 0) return;
    ++flows_;
    const std::int32_t source = placement_[static_cast<std::size_t>(range.begin)];
    walker_.walk_inner(source, destination, rows_, row);
    loads_.add(rows_.row(row));
  }

  void put_on_all(std::int64_t shift) {
    loads_.clear();
    flows_ = 0;
    for (const LeafRange range : ranges_) {
      for (std::int32_t j = 0; j < range.size(); ++j) {
        put_on(range, row_of(range, shift + j), range.begin + shift + j);
      }
    }
  }

  // Goes from shift - 1 to shift. The leaving path is removed first, so that no channel temporarily has more
  // flows than in either stage.
  void slide_to(std::int64_t shift) {
    for (const LeafRange range : ranges_) {
      const std::size_t row = row_of(range, shift - 1);
      flows_ -= is_flow_[row];
      loads_.remove(rows_.row(row));
    }
    for (const LeafRange range : ranges_) put_on(range, row_of(range, shift - 1), range.end - 1 + shift);
  }

  // If no channel has two flows, all shares are 1; otherwise examine every path.
  void end_stage(std::size_t stage, Contention& result) {
    const std::int32_t top = loads_.top();
    result.stage_max[stage] = flows_ == 0 ? 0 : std::max(1, top);
    fullest_.assign(static_cast<std::size_t>(std::max(1, top)) + 1, 0);
    if (top <= 1) {
      fullest_[1] = flows_;
    } else {
      for (std::size_t row = 0; row < is_flow_.size(); ++row) {
        if (is_flow_[row]) ++fullest_[static_cast<std::size_t>(std::max(1, loads_.fullest(rows_.row(row))))];
      }
    }
    result.stage_share[stage] = tally_.end_stage(loads_.channels_by_load(), fullest_);
    tally_.add_uses(1, 2 * flows_);
  }

  const PathWalker& walker_;
  const Placement& placement_;
  const std::vector<LeafRange>& ranges_;
  bool afresh_;
  PathRows rows_;              // by row: path of a flow between switches
  std::vector<char> is_flow_;  // by row
  std::int64_t flows_ = 0;
  ChannelLoads loads_;
  Tally tally_;
  std::vector<std::int64_t> fullest_;
};

// Stages counted at once. A participant's paths at consecutive shifts are adjacent in memory; four of four
// channels are a cache line.
constexpr std::size_t group = 4;

// Reads every flow's path from a cache. Holds 20 bytes per channel.
class CachedSweep final : public ShiftSweep {
 public:
  CachedSweep(const PathCache& cache, const PathWalker& walker, const Placement& placement,
              const std::vector<LeafRange>& ranges)
      : cache_(cache),
        placement_(placement),
        most_(static_cast<std::size_t>(walker.topology().channels()), 0) {
    for (const LeafRange range : ranges) {
      for (std::int32_t i = range.begin; i < range.end; ++i) sources_.push_back(i);
    }
    for (Stage& stage : stages_) {
      stage.load.resize(most_.size());
      stage.at_least.resize(placement.size() + 1);
    }
  }

  void do_stages(std::int64_t first, std::int64_t last, Contention& result,
                 const std::function<void()>& stage_done) override {
    for (std::int64_t stage = first; stage < last; stage += group) {
      const auto together = static_cast<std::size_t>(std::min<std::int64_t>(group, last - stage));
      count(stage + 1, together);
      for (std::size_t g = 0; g < together; ++g) end_count(stages_[g]);
      measure(stage + 1, together);
      for (std::size_t g = 0; g < together; ++g) {
        end_stage(stages_[g], static_cast<std::size_t>(stage) + g, result);
        stage_done();
      }
    }
  }

  const Tally& tally() const override { return tally_; }
  const std::vector<std::int32_t>& most() const override { return most_; }

 private:
  struct Stage {
    std::vector<std::int32_t> load;      // by channel
    std::vector<std::int64_t> at_least;  // [f]: channels that carry f flows or more
    std::vector<std::int64_t> fullest;   // [m]: flows with m flows on their fullest channel
    std::int64_t flows = 0;
    std::int32_t top = 0;  // maximum flows on a channel
  };

  // Calls visit(stage of the group, path) for every flow.
  template <typename Visit>
  void each_flow(std::int64_t shift, std::size_t together, Visit&& visit) {
    const auto p = static_cast<std::int64_t>(placement_.size());
    const std::size_t stride = cache_.stride();
    for (const std::int32_t source : sources_) {
      const Channel* const paths = cache_.from(source);
      std::int64_t to = source + shift;
      if (to >= p) to -= p;
      for (std::size_t g = 0; g < together; ++g) {
        if (placement_[static_cast<std::size_t>(to)] >= 0) {
          visit(stages_[g], paths + static_cast<std::size_t>(to) * stride);
        }
        if (++to == p) to = 0;
      }
    }
  }

  void count(std::int64_t shift, std::size_t together) {
    for (std::size_t g = 0; g < together; ++g) {
      std::fill(stages_[g].load.begin(), stages_[g].load.end(), 0);
      std::fill_n(stages_[g].at_least.begin(), stages_[g].top + 1, 0);
      stages_[g].flows = 0;
    }
    const std::size_t stride = cache_.stride();
    each_flow(shift, together, [stride](Stage& stage, const Channel* path) {
      ++stage.flows;
      for (std::size_t hop = 0; hop < stride && path[hop] != PathCache::end; ++hop) {
        ++stage.at_least[static_cast<std::size_t>(++stage.load[static_cast<std::size_t>(path[hop])])];
      }
    });
  }

  // Finds the maximum number of flows on a channel, and records the maximum of each channel.
  void end_count(Stage& stage) {
    stage.top = 0;
    while (static_cast<std::size_t>(stage.top) + 1 < stage.at_least.size() &&
           stage.at_least[static_cast<std::size_t>(stage.top) + 1] > 0) {
      ++stage.top;
    }
    for (std::size_t c = 0; c < most_.size(); ++c) most_[c] = std::max(most_[c], stage.load[c]);
    stage.fullest.assign(static_cast<std::size_t>(std::max(1, stage.top)) + 1, 0);
  }

  void measure(std::int64_t shift, std::size_t together) {
    const std::size_t stride = cache_.stride();
    each_flow(shift, together, [stride](Stage& stage, const Channel* path) {
      std::int32_t fullest = 1;
      for (std::size_t hop = 0; hop < stride && path[hop] != PathCache::end; ++hop) {
        fullest = std::max(fullest, stage.load[static_cast<std::size_t>(path[hop])]);
      }
      ++stage.fullest[static_cast<std::size_t>(fullest)];
    });
  }

  void end_stage(const Stage& stage, std::size_t number, Contention& result) {
    uses_.assign(static_cast<std::size_t>(stage.top) + 1, 0);
    for (std::size_t f = 1; f < uses_.size(); ++f) {
      uses_[f] = stage.at_least[f] - (f + 1 < uses_.size() ? stage.at_least[f + 1] : 0);
    }
    result.stage_max[number] = stage.flows == 0 ? 0 : std::max(1, stage.top);
    result.stage_share[number] = tally_.end_stage(uses_, stage.fullest);
    tally_.add_uses(1, 2 * stage.flows);
  }

  const PathCache& cache_;
  const Placement& placement_;
  std::vector<std::int32_t> sources_;  // sorted by switch
  std::array<Stage, group> stages_;
  std::vector<std::int32_t> most_;
  std::vector<std::int64_t> uses_;
  Tally tally_;
};

}  // namespace

void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally) {
  constexpr std::int64_t block = 256;  // setting up a block costs about as much as 20 slides
  const std::vector<LeafRange> ranges = leaf_ranges(walker, placement);

  // Choose the method that suits the placement.
  const bool slides = 2 * ranges.size() <= placement.size();
  std::optional<PathCache> cache;
  if (!slides) cache = PathCache::make(walker, placement, options.path_bytes, options);
  std::vector<std::unique_ptr<ShiftSweep>> sweeps;
  for (std::size_t w = stage_workers(result.stages, block, options); w > 0; --w) {
    if (cache) {
      sweeps.push_back(std::make_unique<CachedSweep>(*cache, walker, placement, ranges));
    } else {
      sweeps.push_back(std::make_unique<SlidingSweep>(walker, placement, ranges, !slides));
    }
  }

  // Count.
  std::vector<StageWorker> workers;
  for (const auto& sweep : sweeps) {
    workers.emplace_back(
        [&result, &sweep](std::int64_t first, std::int64_t last, const std::function<void()>& stage_done) {
          sweep->do_stages(first, last, result, stage_done);
        });
  }
  run_stages(result.stages, block, options, workers);

  // Add up the results. With two or more hosts, each sends to and receives from every other one.
  for (const auto& sweep : sweeps) {
    tally.merge(sweep->tally());
    for (std::size_t c = 0; c < result.channel_max.size(); ++c) {
      result.channel_max[c] = std::max(result.channel_max[c], sweep->most()[c]);
    }
  }
  if (tally.flows() == 0) return;
  for (const std::int32_t host : placement) {
    if (host < 0) continue;
    for (const Channel c : {walker.topology().channel_of_host(host), walker.ejection(host)}) {
      result.channel_max[static_cast<std::size_t>(c)] = 1;
    }
  }
}

}  // namespace sortlast::fabric
