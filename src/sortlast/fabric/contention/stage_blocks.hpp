// Stages shared out among threads, in blocks of stages that follow each other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "sortlast/fabric/contention.hpp"

namespace sortlast::fabric {

// What workers tell of the stages that they have done, and what tells them to stop.
class StageMonitor {
 public:
  StageMonitor(std::int64_t stages, const Progress& progress) : stages_(stages), progress_(progress) {}

  // Called after every stage; throws if work should stop. `reports`: this thread calls
  // the progress function, now and then.
  void stage_done(bool reports);
  void stop() { stopped_ = true; }

 private:
  std::int64_t stages_;
  const Progress& progress_;
  std::atomic<std::int64_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Does the stages first .. last - 1 and calls stage_done() after each.
using StageWorker =
    std::function<void(std::int64_t first, std::int64_t last, const std::function<void()>& stage_done)>;

// How many workers are worth having for so many stages in blocks of `block` or more.
std::size_t stage_workers(std::int64_t stages, std::int64_t block, const AnalysisOptions& options);

// Gives blocks of stages to the workers, one thread a worker, the calling thread among them: it alone calls
// options.progress. What a worker or the progress function throws ends the others and is thrown here.
void run_stages(std::int64_t stages, std::int64_t block, const AnalysisOptions& options,
                const std::vector<StageWorker>& workers);

}  // namespace sortlast::fabric
