#include "sortlast/fabric/contention/stages.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <string>

#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/threads.hpp"

namespace sortlast::fabric {

namespace {

using Counts = std::vector<std::int64_t>;

void add_counts(Counts& sum, std::span<const std::int64_t> more) {
  if (sum.size() < more.size()) sum.resize(more.size(), 0);
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
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
                        std::span<const std::int64_t> flows_by_fullest) {
  add_counts(uses_, channels_by_load);
  add_counts(flows_by_fullest_, flows_by_fullest);
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
  result[0] = 0;  // channels that are not used are not counted
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

// The next block for a thread that has none.
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

// What ends a worker when another has failed.
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
