// Alarm: ranks that have waited too long tell each other what they wait for, and all of them throw.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {

class Alarm {
 public:
  // `control` carries nothing but alarms. `limit` [s]: the longest wait without any progress.
  // `interrupt`, if there is one, may throw to end a wait.
  Alarm(const Communicator& control, double limit, std::function<void()> interrupt)
      : control_(control), limit_(limit), interrupt_(std::move(interrupt)) {}

  double limit() const { return limit_; }

  // Tell all other ranks that this one gives up, collect what they say they wait for, and throw a
  // TimeoutError that names the ranks that said nothing. `waits_for` completes "rank r waits for ...".
  [[noreturn]] void raise(const std::string& waits_for) const;

  // Join the alarm if another rank has raised one; returns if none has.
  void interrupt() const {
    if (interrupt_) interrupt_();
  }

  void join_if_raised(const std::function<std::string()>& waits_for) const;

 private:
  const Communicator& control_;
  double limit_;
  std::function<void()> interrupt_;
};

}  // namespace sortlast
