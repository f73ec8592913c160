#include "sortlast/fabric/contention/stage_blocks.hpp"

#include <algorithm>
#include <string>

#include "sortlast/cores.hpp"
#include "sortlast/error.hpp"
#include "sortlast/threads.hpp"

namespace sortlast::fabric {

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
struct Stopped {};

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
    } catch (...) {
      monitor.stop();
      throw;
    }
  });
  if (options.progress && !options.progress(1)) throw Error("cancelled");
}

}  // namespace sortlast::fabric
