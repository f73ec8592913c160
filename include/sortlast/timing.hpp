// Timing: one type for measured, priced and simulated frames, so that they can be compared; and the events of
// a timeline.
#pragma once

#include <cstdint>
#include <string_view>

#include "sortlast/export.hpp"

namespace sortlast {

// Seconds of one frame by phase, and the data moved, on one rank (measured) or on the slowest rank (priced,
// simulated). Unknown phases are 0.
struct Timing {
  double agree = 0;   // checking that all ranks passed the same arguments, including waiting for late ranks;
                      // this waiting is part of `wait` if messages are exchanged before all ranks arrive [s]
  double late = 0;    // the part of `agree` spent waiting for later ranks; 0 if unknown [s]
  double search = 0;  // searching for active pixels, before the ranks meet and as messages are made [s]
  double wait = 0;    // transfers not hidden by blending [s]
  double blend = 0;   // merging fragments [s]
  double gather = 0;  // collecting the tiles at the root [s]
  double total = 0;   // the whole frame [s]

  std::int64_t bytes_sent = 0;
  std::int64_t bytes_received = 0;
  std::int64_t messages_sent = 0;
  std::int64_t messages_received = 0;
  std::int64_t stages = 0;
  std::int64_t peak_bytes = 0;  // peak memory beyond the input image and the result [bytes]
};

// ---- Timelines --------------------------------------------------------------------------------------

enum class Activity : std::uint8_t { agree, send, receive, wait, blend, gather, search };

SORTLAST_API std::string_view activity_name(Activity activity);

// Seconds on a clock shared by all processes of a host.
SORTLAST_API double trace_clock();

// One action of a rank.
struct Event {
  Activity activity = Activity::wait;
  double begin = 0;         // [s] of trace_clock()
  double end = 0;           // [s] of trace_clock()
  std::int32_t peer = -1;   // the other rank of a send or receive, the root of a gather; -1: none
  std::int32_t stage = -1;  // stage of a send or receive, 1, 2, ...; -1: none
  std::int64_t bytes = 0;   // moved, or read by a blend
};

}  // namespace sortlast
