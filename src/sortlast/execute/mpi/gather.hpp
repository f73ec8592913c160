// Gather: the tiles of all ranks become one image at the root.
#pragma once

#include <optional>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/tile.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

// Collective; all arguments were agreed on. Every message lands where it belongs in the root's image, so
// the root copies nothing but its own tile. Throws TimeoutError.
std::optional<Frame> gather_tiles(const Tile& tile, int root, bool with_depth, const Communicator& comm,
                                  const Alarm& alarm, Pool& pool, Timing& timing);

}  // namespace sortlast
