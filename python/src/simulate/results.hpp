// A run of the packet simulators, with its wall time.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <utility>

#include "progress.hpp"
#include "sortlast/simulate/packet.hpp"

namespace sortlast::python {

// A run and its wall time.
struct TimedRun {
  simulate::PacketResult run;
  double elapsed = 0;
};

template <class Simulate>
TimedRun timed(const Simulate& run) {
  const nanobind::gil_scoped_release release;
  const auto start = std::chrono::steady_clock::now();
  simulate::PacketResult result = run();
  return {std::move(result), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

}  // namespace sortlast::python
