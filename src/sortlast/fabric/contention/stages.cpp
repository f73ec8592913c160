#include "sortlast/fabric/contention/stages.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <string>
#include <utility>

#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/threads.hpp"

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

  // Allocate the room that the paths from the first switch need; if others are longer, double it.
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
  // In the order of the hosts, which is the order of the tables.
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

namespace {

using Counts = std::vector<std::int64_t>;

void add_counts(Counts& sum, std::span<const std::int64_t> more, std::int64_t times = 1) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += times * more[i];
}

// Mean of 1 / m over flows; 1 if there are none.
double mean_of(std::span<const std::int64_t> flows_by_fullest) {
  std::int64_t flows = 0;
  double sum = 0;
  for (std::size_t m = 1; m < flows_by_fullest.size(); ++m) {
    flows += flows_by_fullest[m];
    sum += static_cast<double>(flows_by_fullest[m]) / static_cast<double>(m);
  }
  return flows == 0 ? 1 : sum / static_cast<double>(flows);
}

}  // namespace

double Tally::end_stage(std::span<const std::int64_t> channels_by_load,
                        std::span<const std::int64_t> flows_by_fullest, std::int64_t times) {
  add_counts(uses_, channels_by_load, times);
  add_counts(flows_by_fullest_, flows_by_fullest, times);
  return mean_of(flows_by_fullest);
}

void Tally::add_uses(std::size_t f, std::int64_t times) {
  if (uses_.size() <= f) uses_.resize(f + 1, 0);
  uses_[f] += times;
}

void Tally::merge(const Tally& other) {
  add_counts(uses_, other.uses_);
  add_counts(flows_by_fullest_, other.flows_by_fullest_);
}

std::int64_t Tally::flows() const {
  return std::accumulate(flows_by_fullest_.begin(), flows_by_fullest_.end(), std::int64_t{0});
}

double Tally::mean_share() const { return mean_of(flows_by_fullest_); }

std::vector<std::int64_t> Tally::histogram() const {
  Counts result = uses_;
  if (result.empty()) result.push_back(0);
  result[0] = 0;  // unused channels are not counted
  while (result.size() > 1 && result.back() == 0) result.pop_back();
  return result;
}

void check_hosts(const Topology& topology, const Placement& placement) {
  for (std::size_t i = 0; i < placement.size(); ++i) {
    if (placement[i] >= -1 && placement[i] < topology.hosts()) continue;
    throw ArgumentError("participant " + std::to_string(i) + " is placed on host " +
                        std::to_string(placement[i]) + "; expected 0 to " +
                        std::to_string(topology.hosts() - 1) + ", or -1 for a dummy");
  }
}

void check_placement(const Topology& topology, const Pattern& pattern, const Placement& placement) {
  if (placement.size() != static_cast<std::size_t>(pattern.participants())) {
    throw ArgumentError("a placement of " + std::to_string(placement.size()) +
                        " participants for a pattern of " + std::to_string(pattern.participants()) +
                        "; expected one entry a participant");
  }
  check_hosts(topology, placement);
}

StageCounter::StageCounter(const PathWalker& walker, const Placement& placement)
    : walker_(walker), placement_(placement), loads_(walker.topology().channels()) {}

void StageCounter::count(std::span<const Flow> flows) {
  for (std::size_t r = 0; r < rows_.rows(); ++r) loads_.remove(rows_.row(r));
  rows_.resize(flows.size());
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::int32_t source = placement_[static_cast<std::size_t>(flows[i].source)];
    const std::int32_t destination = placement_[static_cast<std::size_t>(flows[i].destination)];
    if (source < 0 || destination < 0) continue;
    walker_.walk_whole(source, destination, rows_, i);
    loads_.add(rows_.row(i));
  }
}

const std::vector<std::int64_t>& StageCounter::flows_by_fullest() {
  flows_by_fullest_.assign(static_cast<std::size_t>(loads_.top()) + 1, 0);
  for (std::size_t i = 0; i < rows_.rows(); ++i) ++flows_by_fullest_[static_cast<std::size_t>(fullest(i))];
  flows_by_fullest_[0] = 0;
  return flows_by_fullest_;
}

namespace {

constexpr std::chrono::milliseconds between_reports{50};

// Hands out blocks to threads.
class Blocks {
 public:
  Blocks(std::int64_t stages, std::int64_t block) : stages_(stages), block_(block) {}

  bool next(std::int64_t& first, std::int64_t& last) {
    first = next_.fetch_add(block_);
    last = std::min(stages_, first + block_);
    return first < stages_;
  }

 private:
  std::int64_t stages_;
  std::int64_t block_;
  std::atomic<std::int64_t> next_ = 0;
};

// Ends a worker when another has failed.
struct Stopped : std::exception {};

}  // namespace

void StageMonitor::stage_done(bool reports) {
  const std::int64_t done = ++done_;
  if (stopped_) throw Stopped();
  if (!reports || !progress_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < between_reports) return;
  last_ = now;
  if (!progress_(static_cast<double>(done) / static_cast<double>(stages_))) throw Error("cancelled");
}

std::size_t stage_workers(std::int64_t stages, std::int64_t block, const AnalysisOptions& options) {
  if (options.threads < 0) {
    throw ArgumentError("analysis with " + std::to_string(options.threads) +
                        " threads; expected a number, or 0 for one a core");
  }
  const std::int64_t asked = options.threads > 0 ? options.threads : usable_cores();
  const std::int64_t blocks = (stages + block - 1) / block;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(asked, blocks)));
}

void run_stages(std::int64_t stages, std::int64_t block, const AnalysisOptions& options,
                const std::vector<StageWorker>& workers) {
  Blocks blocks(stages, block);
  StageMonitor monitor(stages, options.progress);
  Team(static_cast<int>(workers.size())).run([&](int number) {
    try {
      const StageWorker& worker = workers[static_cast<std::size_t>(number)];
      std::int64_t first = 0, last = 0;
      while (blocks.next(first, last)) worker(first, last, [&] { monitor.stage_done(number == 0); });
    } catch (const Stopped&) {
      return;
    } catch (...) {
      monitor.stop();
      throw;
    }
  });
  if (options.progress && !options.progress(1)) throw Error("cancelled");
}

}  // namespace sortlast::fabric
