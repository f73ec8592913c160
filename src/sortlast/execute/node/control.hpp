// Control: what the processes of a node tell each other, as it lies in the segment that they share.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sortlast/execute/node/allocations.hpp"
#include "sortlast/execute/node/barrier.hpp"
#include "sortlast/execute/node/event_count.hpp"
#include "sortlast/execute/node/frames.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// A plane of an image: where it lies in its process, and in which segment if it is in one.
struct PlaneRecord {
  std::uint64_t address = 0;  // 0: there is none
  Place place;
};

// An image as others see it.
struct OfferRecord {
  std::uint64_t hash = 0;
  std::uint64_t frame_bytes = 0;
  PlaneRecord colour;
  PlaneRecord depth;
  Format format;
  std::array<std::int64_t, 4> box = {};
  bool boxed = false;
};

// Written by one process, read by all. A process writes the offer of its next meeting while others may still
// read that of the last one, and not before all have come to the last, so two are enough.
struct alignas(64) Seat {
  std::array<OfferRecord, 2> offers;
  std::int32_t process = 0;
  std::uint64_t token = 0;                        // for others to try to read,
  std::uint64_t token_address = 0;                // at this address of the process
  alignas(64) std::atomic<std::uint32_t> unread;  // processes that may still read its image
  EventCount read;                                      // rings when none may
};

// What the last to come to a meeting found for all.
struct Decision {
  bool agreed = false;
  Frames::Choice frame;
  double time = 0;  // when the last came [s of trace_clock()]
};

// All bytes 0 at first. Followed by one seat for each process.
struct alignas(64) Control {
  Barrier meeting;
  alignas(64) Barrier confirmation;     // after the meetings with a fresh frame
  std::atomic<std::uint32_t> failures;  // to map it
  std::atomic<bool> broken;             // a process has given up waiting
  std::array<Decision, 2> decisions;
  FrameSlots frames;

  static std::size_t bytes(std::size_t processes) { return sizeof(Control) + processes * sizeof(Seat); }
  Seat& seat(std::size_t process) { return reinterpret_cast<Seat*>(this + 1)[process]; }
};

static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

}  // namespace sortlast
