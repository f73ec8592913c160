// Eventcount: how the processes of a node sleep until another wakes them.
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
  // Sleep until the number of rings is no longer `seen`, or for `seconds`; may end early. Looks again up to
  // `looks` times before it sleeps.
  void wait(std::uint32_t seen, double seconds, int looks = 0);

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace sortlast
