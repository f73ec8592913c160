// Gather: the tiles of all ranks become one image at the root.
#pragma once

#include <optional>

#include "sortlast/execute/mpi/frame_context.hpp"
#include "sortlast/execute/run/tile_data.hpp"

namespace sortlast {

// Collective; all arguments were agreed on, and all ranks are through with compositing. Tiles that lie in the
// frame of the root's node stay where they are; every message lands where it belongs in the root's image, so
// the root copies nothing but its own tile: one message for each range of a tile. Throws TimeoutError.
std::optional<Frame> gather_tiles(const detail::TileData& tile, int root, bool with_depth,
                                  const FrameContext& context);

}  // namespace sortlast
