#include "sortlast/fabric/contention/stage_blocks.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "sortlast/error.hpp"

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

// The first exception of any thread.
class FirstError {
 public:
  void keep(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr error_;
};

// False: the system has no more threads. Those that there are then do all blocks.
template <typename Work>
bool start(std::vector<std::thread>& threads, Work&& work) {
  try {
    threads.emplace_back(std::forward<Work>(work));
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

void StageMonitor::stage_done(bool reports) {
  const std::int64_t done = ++done_;
  if (stopped_) throw Error("cancelled");
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
  const std::int64_t asked = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
  const std::int64_t blocks = (stages + block - 1) / block;
  return static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(asked, blocks)));
}

void run_stages(std::int64_t stages, std::int64_t block, const AnalysisOptions& options,
                const std::vector<StageWorker>& workers) {
  Blocks blocks(stages, block);
  StageMonitor monitor(stages, options.progress);
  FirstError error;
  const auto work = [&](const StageWorker& worker, bool reports) {
    try {
      std::int64_t first = 0, last = 0;
      while (blocks.next(first, last)) worker(first, last, [&] { monitor.stage_done(reports); });
    } catch (...) {
      error.keep(std::current_exception());
      monitor.stop();
    }
  };

  std::vector<std::thread> threads;
  for (std::size_t w = 1; w < workers.size(); ++w) {
    if (!start(threads, [&work, &worker = workers[w]] { work(worker, false); })) break;
  }
  work(workers.front(), true);
  for (std::thread& thread : threads) thread.join();
  error.rethrow();
  if (options.progress && !options.progress(1)) throw Error("cancelled");
}

}  // namespace sortlast::fabric
