// All shifts of a placement, counted without walking every flow.
//
// Problem. p participants have p (p - 1) flows in p - 1 stages: 136 million for 11,664 hosts, 4.3 thousand
// million for 65,536, each over up to six channels. Walking them one by one takes 60 s and half an hour.
//
// Model. A switch forwards by destination alone, so all hosts of a leaf have the same path to a destination.
// A range [a, b) is participants that follow each other on one leaf. At shift s it sends to its window, the
// destinations a + s .. b - 1 + s, all over paths that depend on the destination only; so that it does not
// matter who of the range sends to whom, and from shift s - 1 to s one path enters the window and one leaves
// it. A stage costs two paths a leaf instead of one a host; loads, their histogram and the fullest channel
// are kept up to date (stages.hpp). The paths of all windows lie in p rows, so that a path is walked
// once, when it enters, and a stage with contention can look at every flow's path for its share. The channels
// of hosts never have more than one flow and are left out. Memory: 4 bytes a channel of p paths, and 8 a
// channel of the fabric, for each thread.
//
// If the hosts are scattered (more than half as many ranges as participants) windows share nothing. Then
// every flow is looked at, but its path is read from a cache: switches x p paths, 4 bytes a channel, up to
// AnalysisOptions::path_bytes, or else walked. Paths to participants that follow each other lie side by side,
// and four stages are counted at once, so that a participant's next four flows are one cache line.
//
// If paths depend on the source (several planes), every participant is a range of its own.
//
// Rejected: a difference array over shifts for each channel, with its prefix sum (p times the number of
// channels: as many steps as channels crossed by all flows, if simpler ones); storing the path of every pair
// in routing order (no faster, and gigabytes).
//
// Threads take blocks of stages that follow each other; sums are of whole numbers, so that figures do not
// depend on who took which.
//
// Measured, seconds of processor time, on a core of a 2-core cloud machine; two threads take half of it:
//
//                                       11,664 hosts            65,536 hosts
//     D-mod-K, routing order            0.40 s,   7 MB          9.7 s,  27 MB
//     tables, routing order             0.54 s,  27 MB         44   s, 372 MB
//     tables, 7 hosts missing           1.1  s,  27 MB                           (every stage contends)
//     D-mod-K, random order         3.7-6.9  s, 122 MB
#include "sortlast/fabric/contention/shift_contention.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

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

void count_shifts(const PathWalker& walker, const Placement& placement, const AnalysisOptions& options,
                  Contention& result, Tally& tally) {
  constexpr std::int64_t block = 256;  // setting up a block costs about as much as 20 slides
  const std::vector<LeafRange> ranges = leaf_ranges(walker, placement);

  // Take the way that suits the placement.
  const bool slides = 2 * ranges.size() <= placement.size();
  std::optional<PathCache> cache;
  if (!slides) cache = PathCache::make(walker, placement, options.path_bytes, options);
  std::vector<std::unique_ptr<ShiftSweep>> sweeps;
  for (std::size_t w = stage_workers(result.stages, block, options); w > 0; --w) {
    sweeps.push_back(cache ? cached_sweep(*cache, walker, placement, ranges)
                           : sliding_sweep(walker, placement, ranges, !slides));
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
