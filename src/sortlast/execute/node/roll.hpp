// Roll: records which ranks take part in which frame, on a node where frames do not wait for all ranks.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "sortlast/execute/node/event_count.hpp"

namespace sortlast {

// Lies in a segment. Frames are numbered from 1; exactly one is open, and processes join that one. A process
// that sees that all have joined, or that the frame's end has passed, closes it, which opens the next. The
// end of a frame is set by the first process that took part in the previous one: a late process closes
// nothing before the others arrive.
//
// A frame is never closed before all participants of the previous frame know who they are: either its end was
// set by one of them, which leaves the previous frame only when all have read its image, or all have joined.
class Roll {
 public:
  // A frame, and the number of processes that have joined it.
  struct Count {
    std::uint64_t frame = 0;
    std::uint32_t processes = 0;
  };

  // Join the open frame. Returns it with the number of processes that have joined so far.
  Count join();
  // Set the end of a frame, unless it is set already. `end` [s of trace_clock()] is above 0.
  void set_end(std::uint64_t frame, double end);
  // The end of a frame; 0: not set.
  double end(std::uint64_t frame) const { return end_of(frame).load(std::memory_order_acquire); }
  // Close a frame as it is, unless it is closed already.
  void close(std::uint64_t frame);

  // The frame closed last.
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
  // Ends of the open frame and of the next: a process that has just joined a frame while another closes it
  // sets the end of that frame, not of the next.
  std::array<std::atomic<double>, 2> ends_{};
  EventCount closing_;
};

}  // namespace sortlast
