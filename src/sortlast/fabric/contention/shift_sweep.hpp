// Ways to count the shifts of a placement, one stage after the other. All give the same figures.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "sortlast/fabric/contention/channel_loads.hpp"
#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/contention/path_cache.hpp"
#include "sortlast/fabric/contention/path_walker.hpp"

namespace sortlast::fabric {

// Participants [begin, end) that follow each other and sit on one switch; none is a dummy.
struct Run {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - begin; }
};

// The runs of a placement, those of a switch next to each other: their paths have channels in common. If
// paths depend on the source host, every participant is a run of its own.
std::vector<Run> shift_runs(const PathWalker& walker, const Placement& placement);

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
                                          const std::vector<Run>& runs, bool afresh);
// Reads every flow's path from a cache. 16 bytes a channel, and 4 more.
std::unique_ptr<ShiftSweep> cached_sweep(const PathCache& cache, const PathWalker& walker,
                                         const Placement& placement, const std::vector<Run>& runs);

}  // namespace sortlast::fabric
