// Tiles of a frame: composited, each on all ranks, and brought to the ranks that display them.
#pragma once

#include <vector>

#include "context.hpp"
#include "render.hpp"

namespace sortlast::icet {

// Composite the tiles from what this rank has of each; collective. Its own tile, or its part of the only one
// if images are not collected, becomes the context's result.
void composite_tiles(IceTContextStruct& context, const std::vector<Part>& parts);

}  // namespace sortlast::icet
