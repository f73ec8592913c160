// Eventcount: lets processes of a node sleep until another process wakes them.
#pragma once

#include <atomic>
#include <cstdint>

namespace sortlast {

// Lies in a segment. A waiting rank sleeps in the kernel (a futex) and thus leaves the core to the rank it
// waits for. Everything that a rank wrote before it rang is visible to every rank that has seen the ring.
// This order comes from the atomics alone, not from the system call, so ThreadSanitizer sees it too.
class EventCount {
 public:
  // Number of rings so far; read it before checking the condition to wait for.
  std::uint32_t rings() const { return rings_.load(std::memory_order_acquire); }
  // Wake all waiting processes.
  void ring();
  // Sleep until the number of rings differs from `seen`, or for `seconds`; may return early. Checks up to
  // `looks` times before it sleeps.
  void wait(std::uint32_t seen, double seconds, int looks = 0);

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace sortlast
