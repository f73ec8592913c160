// Strays: messages of a frame that was called off, which nobody else will receive.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/execute/mpi/failure.hpp"

namespace sortlast {

// How many messages of the frame one rank has exchanged with each other one. Of a rank that has begun
// nothing: both empty.
struct Exchanged {
  std::vector<std::int32_t> sent;  // or begun to, by rank
  std::vector<std::int32_t> received;
};

// Collective: tell each rank how many messages were sent to it, and receive those that have not been, to
// throw them away. This rank waits for no message of the frame any more. Its sends may still be under way, as
// other ranks are not yet through. Throws TimeoutError.
void take_in_strays(const Communicator& comm, const Alarm& alarm, const Exchanged& mine);

}  // namespace sortlast
