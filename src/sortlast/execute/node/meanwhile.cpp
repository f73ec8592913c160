// Meanwhile.
//
// Where ranks share cores, those that wait would take them from those that have yet to come, if all of them
// worked: so only some do, twice as many as there are cores, for one that works may soon have nothing left.
//
// Rejected: to work only while no more threads run than there are cores (/proc/loadavg). Those that wake just
// to look are counted, too, and of the work that could be done early a half was left; yet frames whose late
// ranks computed took longer by it. Rejected: to stop when the system keeps a rank from its core. It made no
// difference.
#include "sortlast/execute/node/meanwhile.hpp"

#include <limits>

#include "sortlast/cores.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

constexpr int workers_a_core = 2;
constexpr double sooner = 0.25;  // to look again, where enough others work

// One of those that work, if it may.
class Worker {
 public:
  explicit Worker(std::atomic<std::int32_t>* working) : working_(working) {
    static const int most = workers_a_core * usable_cores();
    if (working_ != nullptr) may_ = working_->fetch_add(1) < most;
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    if (working_ != nullptr) working_->fetch_sub(1);
  }
  bool may() const { return may_; }

 private:
  std::atomic<std::int32_t>* working_;
  bool may_ = true;
};

}  // namespace

Turns::Turns(const Meanwhile& meanwhile, double first, std::atomic<std::int32_t>* working)
    : meanwhile_(meanwhile), working_(working), next_(first + meanwhile.after) {}

void Turns::take() {
  if (seconds_left() > 0) return;
  const Worker worker(working_);
  if (worker.may()) meanwhile_.work();
  next_ = trace_clock() + (worker.may() ? 1 : sooner) * meanwhile_.every;
}

double Turns::seconds_left() const {
  return meanwhile_.work ? next_ - trace_clock() : std::numeric_limits<double>::infinity();
}

}  // namespace sortlast
