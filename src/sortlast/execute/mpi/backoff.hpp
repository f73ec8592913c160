// Backoff: how to wait for MPI without burning the core that another rank needs, and not for ever.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "sortlast/execute/mpi/alarm.hpp"

namespace sortlast {

// Give up the core after a poll in vain: at once yields it, after many polls sleeps a little. `polls` counts
// them. For waits that have no Backoff.
void yield_core(int polls);

// Ask for pause() after every poll that found nothing, and for progress() after one that did.
class Backoff {
 public:
  // `waits_for` completes "rank r waits for ..." and is called only when the wait has failed.
  Backoff(const Alarm& alarm, std::function<std::string()> waits_for);

  void progress();
  // Give up the core for a moment; throws TimeoutError after alarm.limit() seconds without progress, or
  // when another rank has raised the alarm.
  void pause();

 private:
  using Clock = std::chrono::steady_clock;

  void check(Clock::time_point now);

  const Alarm& alarm_;
  std::function<std::string()> waits_for_;
  int polls_ = 0;
  Clock::time_point since_;       // of the last progress
  Clock::time_point next_check_;  // of the alarm
};

// Wait for a request that works on `memory`, which is kept for ever if the wait fails; as Backoff does.
void wait(MPI_Request request, const Alarm& alarm, std::function<std::string()> waits_for,
          const std::shared_ptr<const void>& memory);

}  // namespace sortlast
