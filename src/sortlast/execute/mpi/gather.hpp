// Gather: the tiles of all ranks become one image at the root.
#pragma once

#include <optional>

#include "sortlast/execute/mpi/frame_context.hpp"
#include "sortlast/execute/run/tile.hpp"

namespace sortlast {

// Collective; all arguments were agreed on, and all ranks are through with compositing. At the root the frame
// lies in `out` if that is not null. Contiguous tiles land where they belong, and those in the frame of the
// root's node stay where they are unless there is an `out`; pixels of an image that was dealt out come as
// they lie in the tile, and the root puts them in their places. Throws TimeoutError.
std::optional<Frame> gather_tiles(const detail::TileData& tile, int root, bool with_depth, Pixels out,
                                  const FrameContext& context);

}  // namespace sortlast
