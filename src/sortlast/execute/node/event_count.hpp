// EventCount and Barrier: how the processes of a machine wake each other and come together.
#pragma once

#include <atomic>
#include <cstdint>

namespace sortlast {

// An eventcount. Lies in a segment. A rank that waits sleeps in the kernel (a futex), so that it does not
// burn the core that the rank it waits for may need. All that a rank wrote before it rang is seen by those
// that have seen the ring: that order comes from the atomics alone, not from the system call, so
// ThreadSanitizer sees it too.
class EventCount {
 public:
  // Number of rings so far: read it before looking whether there is anything to wait for.
  std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  // Wake all that wait.
  void ring();
  // Sleep until the number of rings is no longer `seen`, or for `seconds`; may end early.
  void wait(std::uint32_t seen, double seconds);

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

// Lies in a segment. Only the last to arrive wakes the others, and once; before it does, it is the only one
// awake and may decide for all.
class Barrier {
 public:
  // Number of openings so far: read it before arrive().
  std::uint32_t openings() const { return opened_.rings(); }
  // Whether the caller is the last of `ranks`: it must open() then. What the others wrote before they arrived
  // is seen by it.
  bool arrive(std::uint64_t ranks) {
    return (arrivals_.fetch_add(1, std::memory_order_acq_rel) + 1) % ranks == 0;
  }
  void open() { opened_.ring(); }
  // Rings when it opens.
  EventCount& opened() { return opened_; }

 private:
  std::atomic<std::uint64_t> arrivals_{0};
  EventCount opened_;
};

}  // namespace sortlast
