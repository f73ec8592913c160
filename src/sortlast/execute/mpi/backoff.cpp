// Backoff.
//
// More ranks than cores are the normal case on one machine, so a rank polls a few times, then yields the
// core after each poll, and after two milliseconds in vain sleeps a little between polls.
#include "sortlast/execute/mpi/backoff.hpp"

#include <sched.h>

#include <thread>
#include <utility>

#include "sortlast/execute/mpi/keep.hpp"

namespace sortlast {
namespace {

constexpr int spins = 16;
constexpr auto yields_for = std::chrono::milliseconds(2);
constexpr auto nap = std::chrono::microseconds(50);
constexpr auto between_checks = std::chrono::milliseconds(50);

}  // namespace

void yield_core(int polls) {
  if (polls < 1000) {
    sched_yield();
  } else {
    std::this_thread::sleep_for(nap);
  }
}

Backoff::Backoff(const Alarm& alarm, std::function<std::string()> waits_for)
    : alarm_(alarm),
      waits_for_(std::move(waits_for)),
      since_(Clock::now()),
      next_check_(since_ + between_checks) {}

void Backoff::progress() {
  polls_ = 0;
  since_ = Clock::now();
}

void Backoff::pause() {
  if (++polls_ <= spins) return;
  const Clock::time_point now = Clock::now();
  if (now - since_ < yields_for) {
    sched_yield();
    return;
  }
  check(now);
  std::this_thread::sleep_for(nap);
}

void Backoff::check(Clock::time_point now) {
  if (now < next_check_) return;
  next_check_ = now + between_checks;
  if (std::chrono::duration<double>(now - since_).count() > alarm_.limit()) alarm_.raise(waits_for_());
  alarm_.join_if_raised(waits_for_);
  alarm_.interrupt();
}

void wait(MPI_Request request, const Alarm& alarm, std::function<std::string()> waits_for,
          const std::shared_ptr<const void>& memory) {
  Backoff backoff(alarm, std::move(waits_for));
  try {
    for (int done = 0; done == 0;) {
      check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) backoff.pause();
    }
  } catch (...) {
    keep_for_ever(memory);
    throw;
  }
}

}  // namespace sortlast
