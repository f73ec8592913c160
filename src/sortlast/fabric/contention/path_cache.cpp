#include "sortlast/fabric/contention/path_cache.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "sortlast/fabric/contention/stage_blocks.hpp"

namespace sortlast::fabric {

std::optional<PathCache> PathCache::make(const PathWalker& walker, const Placement& placement,
                                         std::int64_t most_bytes, const AnalysisOptions& options) {
  if (!walker.by_switch()) return std::nullopt;

  // Number the switches that have participants.
  PathCache cache;
  std::vector<std::int32_t> place_of_switch(static_cast<std::size_t>(walker.topology().switches()), -1);
  std::vector<std::int32_t> sources;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(placement.size()); ++i) {
    const std::int32_t host = placement[static_cast<std::size_t>(i)];
    if (host < 0) {
      cache.place_.push_back(-1);
      continue;
    }
    std::int32_t& place = place_of_switch[static_cast<std::size_t>(walker.switch_of_host(host))];
    if (place < 0) {
      place = static_cast<std::int32_t>(sources.size());
      sources.push_back(i);
    }
    cache.place_.push_back(place);
  }

  // Take the room that the paths from the first switch need; if others are longer, more of it.
  const auto paths = static_cast<std::int64_t>(sources.size() * placement.size());
  const std::int64_t path_bytes = sizeof(Channel);
  for (cache.stride_ = 4;; cache.stride_ *= 2) {
    if (paths * static_cast<std::int64_t>(cache.stride_) * path_bytes > most_bytes) return std::nullopt;
    cache.cells_.assign(static_cast<std::size_t>(paths) * cache.stride_, end);
    if (cache.fill_all(walker, placement, sources, options)) return cache;
  }
}

bool PathCache::fill(const PathWalker& walker, const Placement& placement, std::int32_t source,
                     std::int32_t place) {
  // In the order of the hosts, as tables have them.
  std::vector<std::int32_t> participants;
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] >= 0) participants.push_back(static_cast<std::int32_t>(i));
  }
  std::sort(participants.begin(), participants.end(), [&](std::int32_t a, std::int32_t b) {
    return placement[static_cast<std::size_t>(a)] < placement[static_cast<std::size_t>(b)];
  });
  PathRows row;
  row.resize(1);
  Channel* const paths = cells_.data() + static_cast<std::size_t>(place) * placement.size() * stride_;
  for (const std::int32_t i : participants) {
    walker.walk_inner(placement[static_cast<std::size_t>(source)], placement[static_cast<std::size_t>(i)],
                      row, 0);
    const auto path = row.row(0);
    if (path.size() > stride_) return false;
    std::copy(path.begin(), path.end(), paths + static_cast<std::size_t>(i) * stride_);
  }
  return true;
}

bool PathCache::fill_all(const PathWalker& walker, const Placement& placement,
                         const std::vector<std::int32_t>& sources, const AnalysisOptions& options) {
  constexpr std::int64_t block = 8;
  std::atomic<bool> fits = true;
  const auto places = static_cast<std::int64_t>(sources.size());
  const AnalysisOptions quiet{.threads = options.threads};
  const StageWorker worker = [&](std::int64_t first, std::int64_t last, const std::function<void()>& done) {
    for (std::int64_t place = first; place < last && fits; ++place) {
      const std::int32_t source = sources[static_cast<std::size_t>(place)];
      if (!fill(walker, placement, source, static_cast<std::int32_t>(place))) fits = false;
      done();
    }
  };
  const std::vector<StageWorker> workers(stage_workers(places, block, quiet), worker);
  run_stages(places, block, quiet, workers);
  return fits;
}

}  // namespace sortlast::fabric
