// Barrier: where the processes of a machine come together.
#pragma once

#include <atomic>
#include <cstdint>

#include "sortlast/execute/node/event_count.hpp"

namespace sortlast {

// Lies in a segment, all bytes 0 at first. Only the last to arrive wakes the others, and once; before it
// does, it is the only one awake and may decide for all.
class Barrier {
 public:
  // Number of openings so far: read it before arrive().
  std::uint32_t openings() const { return bell_.rings(); }
  // Whether the caller is the last of `ranks`: it must open() then. What the others wrote before they arrived
  // is seen by it.
  bool arrive(std::uint64_t ranks) {
    return (arrivals_.fetch_add(1, std::memory_order_acq_rel) + 1) % ranks == 0;
  }
  void open() { bell_.ring(); }
  // Rings when it opens.
  EventCount& bell() { return bell_; }

 private:
  std::atomic<std::uint64_t> arrivals_{0};
  EventCount bell_;
};

}  // namespace sortlast
