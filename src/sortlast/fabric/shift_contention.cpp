#include "sortlast/fabric/shift_contention.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "sortlast/fabric/shift_sweep.hpp"
#include "sortlast/fabric/stage_blocks.hpp"

namespace sortlast::fabric {

std::vector<Run> shift_runs(const PathWalker& walker, const Placement& placement) {
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

void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally) {
  constexpr std::int64_t block = 256;  // setting up a block costs about as much as 20 slides
  const std::vector<Run> runs = shift_runs(walker, placement);

  // Take the way that suits the placement.
  const bool slides = 2 * runs.size() <= placement.size();
  std::optional<PathCache> cache;
  if (!slides) cache = PathCache::make(walker, placement, options.path_bytes, options);
  std::vector<std::unique_ptr<ShiftSweep>> sweeps;
  for (std::size_t w = stage_workers(result.stages, block, options); w > 0; --w) {
    sweeps.push_back(cache ? cached_sweep(*cache, walker, placement, runs)
                           : sliding_sweep(walker, placement, runs, !slides));
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

  // Add up what the workers saw. Every host of two or more sends to and receives from each other one.
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
