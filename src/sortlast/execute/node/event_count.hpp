// EventCount: how the processes of a machine wake each other.
#pragma once

#include <atomic>
#include <cstdint>

namespace sortlast {

// Lies in a segment, all bytes 0 at first. A rank that waits sleeps in the kernel (a futex), so that it does
// not burn the core that the rank it waits for may need.
class EventCount {
 public:
  // Number of rings so far: read it before looking whether there is anything to wait for.
  std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  // Wake all that wait. What this process wrote before is seen by them.
  void ring();
  // Sleep until the number of rings is no longer `seen`, or for `seconds`.
  void wait(std::uint32_t seen, double seconds);

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace sortlast
