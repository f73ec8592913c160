// Probe of a pair: what messages between two ranks take.
#pragma once

#include <optional>

#include "sortlast/tune/cold_buffers.hpp"
#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {

struct PairFigures {
  double latency = 0;  // of a small message [s]; 0: not known
  double byte = 0;     // each way, both ways at once [s]
};

enum class PairClock { wall, processor };

// Called by both ranks at about the same time. Measures for about `seconds`, those of the lower rank, in wall
// time or in processor time, the average of both ranks; nothing if that is too short for a few large
// messages. Messages are pieces of `memory`, which must stay if this throws (TimeoutError).
std::optional<PairFigures> probe_pair(const Communicator& comm, const Alarm& alarm, ColdBuffers& memory, int peer,
                                      PairClock clock, double seconds);

}  // namespace sortlast
