// Timing: one type for runs that were measured, priced or simulated, so that they lie side by side.
#pragma once

#include <cstdint>

namespace sortlast {

// Seconds of one frame by phase, and what it moved, on one rank (measured) or on the slowest rank
// (priced, simulated). Phases that a reader does not know are 0.
struct Timing {
  double agree = 0;   // check that all ranks passed the same arguments [s]
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

}  // namespace sortlast
