// Alarm: ranks that have waited too long, or whose call failed, tell the others, and all of them throw.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/reports.hpp"

namespace sortlast {

// Why a call failed, for the other ranks: of the exception that is being handled. Empty for a TimeoutError or
// RemoteError, of which they know.
std::string cause_of_failure();

class Alarm {
 public:
  // Alarms travel on `comm` with its largest tag, which nothing else may use. `limit` [s]: the longest wait
  // without any progress. `interrupt`, if there is one, may throw to end a wait.
  Alarm(const Communicator& comm, double limit, std::function<void()> interrupt)
      : comm_(comm), limit_(limit), interrupt_(std::move(interrupt)) {}

  double limit() const { return limit_; }

  // Tell all other ranks that this one gives up, collect what they say they wait for, and throw a
  // TimeoutError that names the ranks that said nothing; a RemoteError if the call of one of them has failed.
  // `waits_for` completes "rank r waits for ...".
  [[noreturn]] void raise(const std::string& waits_for) const;

  // Tell the other ranks that this one's call has failed, without waiting for them. They throw a RemoteError
  // that names this rank and the cause.
  void tell_failure(const std::string& cause) const noexcept;

  // Whether another rank has raised an alarm.
  bool raised() const;
  // Tell others of the alarms that have arrived, without joining them.
  void pass_on() const;
  // Join the alarm if another rank has raised one; returns if none has.
  void join_if_raised(const std::function<std::string()>& waits_for) const;

  void interrupt() const {
    if (interrupt_) interrupt_();
  }

 private:
  const Communicator& comm_;
  double limit_;
  std::function<void()> interrupt_;
};

}  // namespace sortlast
