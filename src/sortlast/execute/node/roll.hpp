// Roll: who has come to which frame, on a node whose frames do not wait for all ranks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sortlast/execute/node/event_count.hpp"

namespace sortlast {

// Lies in a segment. Frames are numbered from 1; exactly one is open, and a process joins that one. Whoever
// sees that all have joined, or that its time is over, closes it, which opens the next. The first process
// that took part in the frame before says when the time of a frame is over: one that was late closes nothing
// before the others come.
//   A frame is never closed before all of the frame before know theirs: either its time was set by one of
// those, which is through with that frame only when all have read its image, or all have joined it.
class Roll {
 public:
  // A frame, and how many have joined it.
  struct Count {
    std::uint64_t frame = 0;
    std::uint32_t processes = 0;
  };

  // Join the frame that is open. The frame, and how many have joined it by now.
  Count join();
  // Say when the time of a frame is over, unless somebody has. `end` [s of trace_clock()] is above 0.
  void set_end(std::uint64_t frame, double end);
  // When it is; 0: nobody has said.
  double end(std::uint64_t frame) const { return end_of(frame).load(std::memory_order_acquire); }
  // Close a frame as it is, unless somebody has.
  void close(std::uint64_t frame);

  // The frame that was closed last.
  Count closed() const { return count_of(closed_.load(std::memory_order_acquire)); }
  // Rings when a frame is closed.
  EventCount& closing() { return closing_; }

 private:
  static constexpr unsigned count_bits = 24;

  static std::uint64_t word_of(Count count) { return count.frame << count_bits | count.processes; }
  static Count count_of(std::uint64_t word) {
    return {word >> count_bits, static_cast<std::uint32_t>(word & ((1U << count_bits) - 1))};
  }
  std::atomic<double>& end_of(std::uint64_t frame) { return ends_[frame % 2]; }
  const std::atomic<double>& end_of(std::uint64_t frame) const { return ends_[frame % 2]; }

  std::atomic<std::uint64_t> open_{std::uint64_t{1} << count_bits};
  std::atomic<std::uint64_t> closed_{0};
  // Of the frame that is open, and of the next: one that has just joined a frame that another closes at the
  // same moment sets the end of that frame, not of the next.
  std::array<std::atomic<double>, 2> ends_{};
  EventCount closing_;
};

}  // namespace sortlast
