// Tiles of a frame: composited by all ranks, and sent to the ranks that display them.
#pragma once

#include <vector>

#include "context.hpp"
#include "render.hpp"

namespace sortlast::icet {

// Composite the tiles from this rank's parts; collective. The context's result becomes this rank's own tile
// or, if images are not collected, its part of the only tile.
void composite_tiles(IceTContextStruct& context, const std::vector<Part>& parts);

}  // namespace sortlast::icet
