// Meanwhile: what a process of a node does while it waits for others.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace sortlast {

struct Meanwhile {
  std::function<void()> work = {};  // none: nothing
  double after = 0;                 // so long after the first process came it may begin [s]
  double every = 0;                 // and so long after each end again [s]
};

// One process's turns at its work, during one wait.
class Turns {
 public:
  // `first`: when the first of those that wait came [s of trace_clock()]. `working`: how many of the node's
  // processes do, of which there may be `most`, if they share cores; else null.
  Turns(const Meanwhile& meanwhile, double first, std::atomic<std::int32_t>* working, std::int32_t most);

  // Work, if it is time to and not too many others do.
  void take();
  // Until it is time again [s]; infinity if there is nothing to do.
  double seconds_left() const;

 private:
  const Meanwhile& meanwhile_;
  std::atomic<std::int32_t>* working_;
  std::int32_t most_;
  double next_;  // [s] of trace_clock()
};

}  // namespace sortlast
