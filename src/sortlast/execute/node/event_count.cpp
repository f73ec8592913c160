// Eventcount.
//
// A waiting rank counts itself among the sleepers and then asks the kernel to sleep unless the number of
// rings has changed. A ringing rank changes that number and then looks for sleepers. Both steps have a single
// order for all ranks (sequential consistency), so either the ringer sees the sleeper and wakes it, or the
// sleeper sees the ring. A process that dies asleep remains counted, which costs the others one system call
// per ring and nothing else.
//
// Spinning before sleeping pays only while every rank has its own core. On 2 cores, with 200 looks, a meeting
// of 2 ranks takes 1 us instead of 2 to 10, but meetings of 4, 8 and 16 ranks take 20, 45 and 105 us instead
// of 8, 18 and 42; yielding the core between 4 looks gains nothing at any number of ranks. The caller
// therefore chooses the number of looks.
#include "sortlast/execute/node/event_count.hpp"

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>
#else
#include <chrono>
#include <thread>
#endif

namespace sortlast {

// Other processes access the same bytes, and the kernel treats them as a plain number.
static_assert(std::atomic<std::uint32_t>::is_always_lock_free &&
              sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

namespace {

// Yield the core's execution units to its other hardware thread for a moment.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

#ifdef __linux__

void EventCount::ring() {
  rings_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, &rings_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void EventCount::wait(std::uint32_t seen, double seconds, int looks) {
  for (; looks > 0; --looks) {
    if (rings() != seen) return;
    relax();
  }
  const auto whole = static_cast<std::time_t>(seconds);
  const timespec limit{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (rings_.load(std::memory_order_seq_cst) == seen)
    syscall(SYS_futex, &rings_, FUTEX_WAIT, seen, &limit, nullptr, 0);
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

#else

void EventCount::ring() { rings_.fetch_add(1, std::memory_order_seq_cst); }

void EventCount::wait(std::uint32_t seen, double seconds, int looks) {
  for (; looks > 0; --looks) {
    if (rings() != seen) return;
    relax();
  }
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (rings() == seen && Clock::now() < until) std::this_thread::sleep_for(std::chrono::microseconds(50));
}

#endif

}  // namespace sortlast
