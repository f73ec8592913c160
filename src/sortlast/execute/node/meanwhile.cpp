// Meanwhile.
//
// Where ranks share cores, those that have not come yet need them: to work in their place would hold up what
// one waits for. So a rank works only if no more threads run than there are cores, its own counted. Ranks
// that look at the same moment see each other and may all wait for the next time, but are never too many.
#include "sortlast/execute/node/meanwhile.hpp"

#include <limits>

#include "sortlast/cores.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

constexpr double sooner = 0.25;  // to look again, where no core was idle

}  // namespace

Turns::Turns(const Meanwhile& meanwhile, bool crowded)
    : meanwhile_(meanwhile), crowded_(crowded), next_(trace_clock() + meanwhile.every) {}

void Turns::take() {
  if (seconds_left() > 0) return;
  const bool idle = core_is_idle();
  if (idle) meanwhile_.work();
  next_ = trace_clock() + (idle ? 1 : sooner) * meanwhile_.every;
}

double Turns::seconds_left() const {
  return meanwhile_.work ? next_ - trace_clock() : std::numeric_limits<double>::infinity();
}

// A rank that has cores of its own leaves them idle when it waits. What runs is known of the whole machine
// alone, of which the ranks may have a part: then too few seem idle.
bool Turns::core_is_idle() const {
  if (!crowded_) return true;
  static const int cores = usable_cores();
  const int running = running_threads();
  return 0 < running && running <= cores;
}

}  // namespace sortlast
