// Meanwhile: what a process of a node does while it waits for others, as far as the cores go that nobody else
// uses.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace sortlast {

struct Meanwhile {
  std::function<void()> work = {};  // none: nothing
  double every = 0;                 // how long it waits before, each time [s]
  int threads = 1;                  // that it works with
};

// One process's turns at its work, during one wait.
class Turns {
 public:
  // `working`: threads of all processes that work while they wait; they share it.
  Turns(const Meanwhile& meanwhile, std::atomic<std::int32_t>& working);

  // Work, if it is time to and there is a core.
  void take();
  // Until it is time again [s]; infinity if there is nothing to do.
  double seconds_left() const;

 private:
  bool core_is_left() const;

  const Meanwhile& meanwhile_;
  std::atomic<std::int32_t>& working_;
  double next_;  // [s] of trace_clock()
};

}  // namespace sortlast
