// What the simulators' bindings share: a run with its time, and the progress of one.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "errors.hpp"
#include "sortlast/progress.hpp"
#include "sortlast/simulate/packet.hpp"

namespace sortlast::python {

// A run, and how long it took here.
struct TimedRun {
  simulate::PacketResult run;
  double elapsed = 0;
};

// The call is made from the thread that called, with the lock held; what it raises, Ctrl-C too, ends the run.
inline Progress progress_of(const std::optional<nanobind::callable>& progress) {
  return [progress](double part) {
    const nanobind::gil_scoped_acquire acquire;
    see_signals();
    if (!progress) return true;
    const nanobind::object answer = (*progress)(part);
    return answer.is_none() || nanobind::cast<bool>(answer);
  };
}

template <class Simulate>
TimedRun timed(const Simulate& run) {
  const nanobind::gil_scoped_release release;
  const auto start = std::chrono::steady_clock::now();
  simulate::PacketResult result = run();
  return {std::move(result), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace sortlast::python
