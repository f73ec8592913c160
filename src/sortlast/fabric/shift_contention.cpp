#include "sortlast/fabric/shift_contention.hpp"

#include <algorithm>
#include <list>

#include "sortlast/fabric/stage_blocks.hpp"

namespace sortlast::fabric {

namespace {

// Participants [begin, end) that follow each other and sit on one switch; none is a dummy.
struct Run {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  std::int32_t size() const { return end - begin; }
};

// The runs of a placement, those of a switch next to each other: their paths have channels in common.
std::vector<Run> runs_of(const PathWalker& walker, const Placement& placement) {
  std::vector<Run> runs;
  const auto home = [&](std::int32_t i) {
    return walker.switch_of_host(placement[static_cast<std::size_t>(i)]);
  };
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(placement.size()); ++i) {
    if (placement[static_cast<std::size_t>(i)] < 0) continue;
    const bool joins = walker.by_switch() && !runs.empty() && runs.back().end == i && home(i - 1) == home(i);
    if (joins) {
      ++runs.back().end;
    } else {
      runs.push_back({i, i + 1});
    }
  }
  std::stable_sort(runs.begin(), runs.end(), [&](Run a, Run b) { return home(a.begin) < home(b.begin); });
  return runs;
}

// The flows of one stage after the other.
class Sweep {
 public:
  Sweep(const PathWalker& walker, const Placement& placement, const std::vector<Run>& runs)
      : walker_(walker),
        placement_(placement),
        runs_(runs),
        slides_(2 * runs.size() <= placement.size()),
        is_flow_(placement.size(), false),
        loads_(walker.topology().channels()) {
    rows_.resize(placement.size());
  }

  void do_stages(std::int64_t first, std::int64_t last, Contention& result,
                 const std::function<void()>& stage_done) {
    for (std::int64_t stage = first; stage < last; ++stage) {
      if (stage == first || !slides_) {
        put_on_all(stage + 1);
      } else {
        slide_to(stage + 1);
      }
      end_stage(static_cast<std::size_t>(stage), result);
      stage_done();
    }
  }

  const Tally& tally() const { return tally_; }
  const ChannelLoads& loads() const { return loads_; }

 private:
  // The window of a run [a, b) at shift s is the destinations a + s .. b - 1 + s. The path to a + s + j lies
  // in row a + (s + j) mod (b - a): what enters the window takes the row of what leaves it.
  std::size_t row_of(Run run, std::int64_t shift_and_j) const {
    return static_cast<std::size_t>(run.begin + shift_and_j % run.size());
  }

  void put_on(Run run, std::size_t row, std::int64_t to) {
    const std::int32_t p = static_cast<std::int32_t>(placement_.size());
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

  // A host sends to one and receives from one, so that its own channels never carry more than one flow.
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
  bool slides_;
  PathRows rows_;              // by row: inner path of a flow
  std::vector<char> is_flow_;  // by row
  std::int64_t flows_ = 0;
  ChannelLoads loads_;
  Tally tally_;
  std::vector<std::int64_t> fullest_;
};

}  // namespace

void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally) {
  constexpr std::int64_t block = 256;  // setting up a block costs about as much as 20 slides
  const std::vector<Run> runs = runs_of(walker, placement);
  std::list<Sweep> sweeps;
  std::vector<StageWorker> workers;
  for (std::size_t w = stage_workers(result.stages, block, options); w > 0; --w) {
    sweeps.emplace_back(walker, placement, runs);
    workers.emplace_back([&result, &sweep = sweeps.back()](std::int64_t first, std::int64_t last,
                                                           const std::function<void()>& stage_done) {
      sweep.do_stages(first, last, result, stage_done);
    });
  }
  run_stages(result.stages, block, options, workers);

  // Add up what the workers saw. Every host of two or more sends to and receives from each other one.
  for (const Sweep& sweep : sweeps) {
    tally.merge(sweep.tally());
    for (std::size_t c = 0; c < result.channel_max.size(); ++c) {
      result.channel_max[c] = std::max(result.channel_max[c], sweep.loads().most()[c]);
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
