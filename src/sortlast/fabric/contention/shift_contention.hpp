// Contention of all shifts of a placement, without walking every flow.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/paths.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

// Fills stage_max, stage_share and channel_max of `result`, which have their sizes, and `tally`. The hosts of
// the placement must be distinct.
void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally);

// Participants [begin, end) that follow each other and sit on one switch; none is a dummy.
struct LeafRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - begin; }
};

// The ranges of a placement, those of a switch next to each other: their paths have channels in common. If
// paths depend on the source host, every participant is a range of its own.
std::vector<LeafRange> leaf_ranges(const PathWalker& walker, const Placement& placement);

// What one thread counts with. The channels of hosts are left out: a host sends to one and receives from one,
// so that they never carry more than one flow.
class ShiftSweep {
 public:
  virtual ~ShiftSweep() = default;
  // Stage s is shift s + 1. Fills elements first .. last - 1 of stage_max and stage_share.
  virtual void do_stages(std::int64_t first, std::int64_t last, Contention& result,
                         const std::function<void()>& stage_done) = 0;
  virtual const Tally& tally() const = 0;
  // By channel: most flows at any stage done so far.
  virtual const std::vector<std::int32_t>& most() const = 0;
};

// Keeps the flows of a stage and changes what the next one changes; or, `afresh`, finds all of them again.
// 4 bytes a channel of a stage's paths, and 8 a channel.
std::unique_ptr<ShiftSweep> sliding_sweep(const PathWalker& walker, const Placement& placement,
                                          const std::vector<LeafRange>& ranges, bool afresh);
// Reads every flow's path from a cache. 16 bytes a channel, and 4 more.
std::unique_ptr<ShiftSweep> cached_sweep(const PathCache& cache, const PathWalker& walker,
                                         const Placement& placement, const std::vector<LeafRange>& ranges);

}  // namespace sortlast::fabric
