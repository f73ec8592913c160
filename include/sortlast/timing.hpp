// Timing: one type for frames that were measured, priced or simulated, so that they lie side by side; and the
// events of a timeline.
#pragma once

#include <cstdint>
#include <string_view>

#include "sortlast/export.hpp"

namespace sortlast {

// Seconds of one frame by phase, and what it moved, on one rank (measured) or on the slowest rank
// (priced, simulated). Phases that a reader does not know are 0.
struct Timing {
  double agree = 0;   // check that all ranks passed the same arguments; waiting for late ones is in it, or in
                      // wait if messages are exchanged before they have come [s]
  double late = 0;    // of that, waiting for ranks that came later; 0 where it is not known [s]
  double search = 0;  // looking for active pixels, before the ranks meet and as messages are made [s]
  double wait = 0;    // transfers that no blending hid [s]
  double blend = 0;   // merging fragments [s]
  double gather = 0;  // collecting the tiles at the root [s]
  double total = 0;   // the whole frame [s]

  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t stages = 0;
  std::int64_t peak_bytes = 0;  // most memory held beyond the input image and the result [bytes]
};

// ---- Timelines --------------------------------------------------------------------------------------

enum class Activity : std::uint8_t { agree, send, receive, wait, blend, gather, search };

SORTLAST_API std::string_view activity_name(Activity activity);

// Seconds on a clock that all processes of a host share.
SORTLAST_API double trace_clock();

// One thing that a rank did.
struct Event {
  Activity activity = Activity::wait;
  double begin = 0;         // [s] of trace_clock()
  double end = 0;           // [s], too
  std::int32_t peer = -1;   // of a send or receive the other rank, of a gather the root; -1: none
  std::int32_t stage = -1;  // of a send or receive, 1, 2, ...; -1: none
  std::int64_t bytes = 0;   // moved, or read by a blend
};

}  // namespace sortlast
