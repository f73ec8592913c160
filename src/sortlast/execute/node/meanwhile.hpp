// Meanwhile: what a process of a node does while it waits for others, where a core has nothing else to do.
#pragma once

#include <functional>

namespace sortlast {

struct Meanwhile {
  std::function<void()> work = {};  // none: nothing
  double every = 0;                 // how long it waits before, each time [s]
};

// One process's turns at its work, during one wait.
class Turns {
 public:
  // `crowded`: the processes of the node share cores.
  Turns(const Meanwhile& meanwhile, bool crowded);

  // Work, if it is time to and a core is idle.
  void take();
  // Until it is time again [s]; infinity if there is nothing to do.
  double seconds_left() const;

 private:
  bool core_is_idle() const;

  const Meanwhile& meanwhile_;
  bool crowded_;
  double next_;  // [s] of trace_clock()
};

}  // namespace sortlast
