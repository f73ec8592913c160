// Control: the state that the processes of a node share in a segment, and their barrier. tests/model has
// models of it and of the eventcounts.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sortlast/execute/node/event_count.hpp"
#include "sortlast/execute/node/frames.hpp"
#include "sortlast/execute/node/publishing.hpp"
#include "sortlast/execute/node/roll.hpp"
#include "sortlast/execute/node/segment.hpp"

namespace sortlast {

// Lies in a segment. Only the last process to arrive wakes the others, and only once; until then, none of
// them reads the data that it writes for all.
class Barrier {
 public:
  // Number of openings so far; read it before arrive().
  std::uint32_t openings() const { return opened_.rings(); }
  // Whether the caller is the last of `ranks`, and must therefore open(). It sees everything the others wrote
  // before they arrived.
  bool arrive(std::uint64_t ranks) {
    return (arrivals_.fetch_add(1, std::memory_order_acq_rel) + 1) % ranks == 0;
  }
  void open() { opened_.ring(); }
  // Rings when the barrier opens.
  EventCount& opened() { return opened_; }

 private:
  std::atomic<std::uint64_t> arrivals_{0};
  EventCount opened_;
};

// A process's offer to a meeting, as seen by the others.
struct OfferRecord {
  std::uint64_t hash = 0;
  std::uint64_t frame_bytes = 0;
  bool flag = false;
  bool on_device = false;
  PublicationRecord published;
};
static_assert(std::is_trivially_copyable_v<OfferRecord>);

// Written by one process, read by all. A process writes the offer for its next meeting while others may still
// read its previous one, but only after all have arrived at the previous meeting. Two offers are therefore
// enough.
struct alignas(64) RankSlot {
  std::array<OfferRecord, 2> offers;
  std::int32_t process = 0;
  std::uint64_t token = 0;                           // a test value for others to try to read,
  std::uint64_t token_address = 0;                   // at this address in the process
  alignas(64) std::atomic<std::uint32_t> unread{0};  // number of processes that may still read its image
  EventCount read;                                   // rings when that number is 0
  std::atomic<std::uint64_t> joined{0};  // the last frame of the roll to which the image is offered
};

// The results that the last process to arrive at a meeting found for all.
struct Decision {
  bool agreed = false;
  bool flagged = false;    // a process has set its flag
  bool on_device = false;  // a process has offered memory of a GPU
  Frames::Choice frame;
  double time = 0;  // when the last process arrived [s of trace_clock()]
};

// Hash of the version and of the layout of the shared data.
std::uint64_t control_layout();

// Followed by one slot per process.
struct alignas(64) Control {
  // The layout of the build that made this. It is the first member in all builds: a process reads nothing
  // else before it has found its own layout here.
  std::uint64_t layout = 0;
  Barrier meeting;
  alignas(64) Barrier confirmation;        // after meetings with a fresh frame
  std::atomic<std::uint32_t> failures{0};  // number of processes that could not map it
  std::atomic<bool> broken{false};         // a process has given up
  std::array<Decision, 2> decisions;
  FrameSlots frames;
  alignas(64) Roll roll;
  EventCount offered;  // rings when a process has offered its image to a frame of the roll

  static std::size_t bytes(std::size_t processes) { return sizeof(Control) + processes * sizeof(RankSlot); }
  // Construct it, once, in a segment of bytes(processes).
  static Control& make(const Segment& segment, std::size_t processes,
                       std::uint64_t layout = control_layout());
  // The Control constructed in a segment, possibly by another process.
  static Control& in(const Segment& segment);

  RankSlot& slot(std::size_t process);
};

}  // namespace sortlast
