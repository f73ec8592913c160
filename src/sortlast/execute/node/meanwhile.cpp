// Meanwhile.
//
// Where ranks share cores, those that wait would take them from those that have yet to come, if all of them
// worked: so only some do.
//
// Rejected: to work only while no more threads run than there are cores (/proc/loadavg). Ranks that wake just
// to look are counted, too. So half of the work that could be done early was left undone, and frames whose
// late ranks were computing still took longer. Rejected: to stop when the system keeps a rank from its core.
// It made no difference.
#include "sortlast/execute/node/meanwhile.hpp"

#include <limits>

#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

constexpr double sooner = 0.25;  // to look again, where enough others work

// One of those that work, if it may.
class Worker {
 public:
  Worker(std::atomic<std::int32_t>* working, std::int32_t most)
      : working_(working), may_(working == nullptr || working->fetch_add(1) < most) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (working_ != nullptr) working_->fetch_sub(1);
  }
  bool may() const { return may_; }

 private:
  std::atomic<std::int32_t>* working_;
  bool may_;
};

}  // namespace

Turns::Turns(const Meanwhile& meanwhile, double first, std::atomic<std::int32_t>* working, std::int32_t most)
    : meanwhile_(meanwhile), working_(working), most_(most), next_(first + meanwhile.after) {}

void Turns::take() {
  if (seconds_left() > 0) return;
  const Worker worker(working_, most_);
  if (worker.may()) meanwhile_.work();
  next_ = trace_clock() + (worker.may() ? 1 : sooner) * meanwhile_.every;
}

double Turns::seconds_left() const {
  return meanwhile_.work ? next_ - trace_clock() : std::numeric_limits<double>::infinity();
}

}  // namespace sortlast
