// Waiting: how a process of a node sleeps until the others have done their part, or a timeout ends the wait.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/event_count.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

constexpr double between_checks = 0.05;  // of the watch [s]

// Number of checks before a process with its own core sleeps: some 20 us, about the time the kernel takes to
// wake a sleeper. Frames of small images are shorter than that.
constexpr int looks_on_own_core = 500;

struct Waiting {
  const Watch& watch;
  std::atomic<bool>& broken;  // a process has given up; shared
  int looks = 0;              // before it sleeps

  // The others have given up waiting for this rank.
  [[noreturn]] void refuse_late() const {
    watch.check(std::numeric_limits<double>::infinity(), [] { return std::string("nobody, it was late"); });
    throw TimeoutError("the other ranks of the node have given up waiting for this one");
  }
};

// Sleep until missing() is 0; checks again whenever the event rings, and after at_most() seconds. Each change
// counts as progress. waits_for() completes "rank r waits for ...".
template <typename WaitsFor, typename Missing, typename AtMost>
void wait_until(EventCount& event, const Waiting& with, const WaitsFor& waits_for, const Missing& missing,
                const AtMost& at_most) {
  using Clock = std::chrono::steady_clock;
  const std::function<std::string()> give_up = [&] {
    with.broken.store(true);
    return waits_for();
  };
  Clock::time_point progress = Clock::now();
  Clock::time_point checked = progress;
  try {
    for (std::uint32_t before = 0;;) {
      const std::uint32_t seen = event.rings();
      const std::uint32_t now = missing();
      if (now == 0) return;
      if (now != before) progress = Clock::now();
      before = now;
      event.wait(seen, std::clamp(at_most(), 0.0, between_checks), with.looks);
      const Clock::time_point woken = Clock::now();
      if (event.rings() != seen || std::chrono::duration<double>(woken - checked).count() < between_checks)
        continue;
      checked = woken;
      with.watch.check(std::chrono::duration<double>(woken - progress).count(), give_up);
    }
  } catch (...) {
    with.broken.store(true);
    throw;
  }
}

}  // namespace sortlast
