#include "sortlast/fabric/contention/paths.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/fabric/contention/stages.hpp"

namespace sortlast::fabric {

void PathRows::resize(std::size_t rows) {
  cells_.resize(rows * stride_);
  lengths_.assign(rows, 0);
}

void PathRows::widen() {
  const std::size_t wider = 2 * stride_;
  std::vector<Channel> cells(rows() * wider);
  for (std::size_t r = 0; r < rows(); ++r) {
    const auto from = row(r);
    std::copy(from.begin(), from.end(), cells.begin() + static_cast<std::ptrdiff_t>(r * wider));
  }
  cells_ = std::move(cells);
  stride_ = wider;
}

PathWalker::PathWalker(const Routes& routes)
    : routes_(routes), forwarding_(*routes_.forwarding), planes_(forwarding_.planes()) {
  const Topology& topology = *routes_.topology;
  for (std::int32_t h = 0; h < topology.hosts(); ++h) {
    const End& end = topology.attachment(h);
    switch_of_host_.push_back(topology.switch_of(end.vertex));
    ejection_.push_back(topology.channel(switch_of_host_.back(), end.port));
  }
  for (std::int32_t s = 0; s < topology.switches(); ++s) first_channel_.push_back(topology.channel(s, 1));
  first_channel_.push_back(topology.channels());
  next_switch_.reserve(static_cast<std::size_t>(topology.channels()));
  for (Channel c = 0; c < topology.channels(); ++c) {
    const Vertex to = topology.target(c).vertex;
    next_switch_.push_back(to < topology.hosts() ? -1 : topology.switch_of(to));
  }
}

void PathWalker::walk_on(std::int32_t source, std::int32_t destination, PathRows& rows, std::size_t r) const {
  const Channel last = ejection(destination);
  const std::int32_t plane = planes_ == 1 ? 0 : forwarding_.plane(source, destination);
  const auto switches = static_cast<std::int32_t>(first_channel_.size()) - 1;
  std::int32_t s = switch_of_host(source);
  for (std::int32_t hops = 0; hops < switches; ++hops) {
    const std::int32_t port = forwarding_.port(s, destination, plane);
    const Channel c = first_channel_[static_cast<std::size_t>(s)] + port - 1;
    if (port < 1 || c >= first_channel_[static_cast<std::size_t>(s) + 1]) break;
    if (c == last) return;
    s = next_switch_[static_cast<std::size_t>(c)];
    if (s < 0) break;
    rows.append(r, c);
  }
  walk(routes_, source, destination);
  throw Error("routes of " + routes_.engine + " changed while they were read");
}

void PathWalker::walk_inner(std::int32_t source, std::int32_t destination, PathRows& rows,
                            std::size_t r) const {
  rows.clear(r);
  walk_on(source, destination, rows, r);
}

void PathWalker::walk_whole(std::int32_t source, std::int32_t destination, PathRows& rows,
                            std::size_t r) const {
  rows.clear(r);
  if (source == destination) return;
  rows.append(r, routes_.topology->channel_of_host(source));
  walk_on(source, destination, rows, r);
  rows.append(r, ejection(destination));
}

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
