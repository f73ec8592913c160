// Meanwhile.
//
// Where ranks share cores, those that have not come yet need them: to work in their place would hold up what
// one waits for, at the price of merging in more passes. So a rank works only if fewer threads run than there
// are cores, those not counted that do such work themselves, as these may share what is left.
#include "sortlast/execute/node/meanwhile.hpp"

#include <limits>

#include "sortlast/cores.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

// Counts a process's threads among those that work, for as long as it is there.
class Working {
 public:
  Working(std::atomic<std::int32_t>& of_all, std::int32_t threads) : of_all_(of_all), threads_(threads) {
    of_all_.fetch_add(threads_, std::memory_order_relaxed);
  }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;
  ~Working() { of_all_.fetch_sub(threads_, std::memory_order_relaxed); }

 private:
  std::atomic<std::int32_t>& of_all_;
  std::int32_t threads_;
};

}  // namespace

Turns::Turns(const Meanwhile& meanwhile, std::atomic<std::int32_t>& working)
    : meanwhile_(meanwhile), working_(working), next_(trace_clock() + meanwhile.every) {}

void Turns::take() {
  if (seconds_left() > 0) return;
  if (core_is_left()) {
    const Working counted(working_, meanwhile_.threads);
    meanwhile_.work();
  }
  next_ = trace_clock() + meanwhile_.every;
}

double Turns::seconds_left() const {
  return meanwhile_.work ? next_ - trace_clock() : std::numeric_limits<double>::infinity();
}

// The caller runs, too.
bool Turns::core_is_left() const {
  static const int cores = online_cores();
  return running_threads() - 1 - working_.load(std::memory_order_relaxed) < cores;
}

}  // namespace sortlast
