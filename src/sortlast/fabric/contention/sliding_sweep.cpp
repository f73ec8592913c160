// Shifts by sliding windows: see shift_contention.cpp.
#include <algorithm>

#include "sortlast/fabric/contention/shift_sweep.hpp"

namespace sortlast::fabric {

namespace {

class SlidingSweep final : public ShiftSweep {
 public:
  SlidingSweep(const PathWalker& walker, const Placement& placement, const std::vector<Run>& runs,
               bool afresh)
      : walker_(walker),
        placement_(placement),
        runs_(runs),
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
  // The window of a run [a, b) at shift s is the destinations a + s .. b - 1 + s. The path to a + s + j lies
  // in row a + (s + j) mod (b - a): what enters the window takes the row of what leaves it.
  static std::size_t row_of(Run run, std::int64_t shift_and_j) {
    return static_cast<std::size_t>(run.begin + shift_and_j % run.size());
  }

  void put_on(Run run, std::size_t row, std::int64_t to) {
    const auto p = static_cast<std::int64_t>(placement_.size());
    const std::int32_t destination = placement_[static_cast<std::size_t>(to % p)];
    is_flow_[row] = destination >= 0;
    rows_.clear(row);
    if (destination < 0) return;
    ++flows_;
    const std::int32_t source = placement_[static_cast<std::size_t>(run.begin)];
    walker_.walk_inner(source, destination, rows_, row);
    loads_.add(rows_.row(row));
  }

  void put_on_all(std::int64_t shift) {
    loads_.clear();
    flows_ = 0;
    for (const Run run : runs_) {
      for (std::int32_t j = 0; j < run.size(); ++j) {
        put_on(run, row_of(run, shift + j), run.begin + shift + j);
      }
    }
  }

  // From shift - 1 to shift. What leaves goes first, so that no channel has more flows for a moment than at
  // either stage.
  void slide_to(std::int64_t shift) {
    for (const Run run : runs_) {
      const std::size_t row = row_of(run, shift - 1);
      flows_ -= is_flow_[row];
      loads_.remove(rows_.row(row));
    }
    for (const Run run : runs_) put_on(run, row_of(run, shift - 1), run.end - 1 + shift);
  }

  // Where no channel has two flows all shares are 1; else look at every path.
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
  const std::vector<Run>& runs_;
  bool afresh_;
  PathRows rows_;              // by row: inner path of a flow
  std::vector<char> is_flow_;  // by row
  std::int64_t flows_ = 0;
  ChannelLoads loads_;
  Tally tally_;
  std::vector<std::int64_t> fullest_;
};

}  // namespace

std::unique_ptr<ShiftSweep> sliding_sweep(const PathWalker& walker, const Placement& placement,
                                          const std::vector<Run>& runs, bool afresh) {
  return std::make_unique<SlidingSweep>(walker, placement, runs, afresh);
}

}  // namespace sortlast::fabric
