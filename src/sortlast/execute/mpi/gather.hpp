// Gather: tiles of dense pixels, and the joined strings that tiles of contents of varying size keep.
#pragma once

#include <optional>
#include <vector>

#include "sortlast/execute/layers/packed_strings.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/run/tile.hpp"

namespace sortlast {

// A tile's image, to be collected at a rank.
struct Gathering {
  const detail::TileData& tile;
  int root = 0;
  bool with_depth = false;
  PixelBuffer out = {};  // at the root, where the frame is put; none: anywhere
};

// Collective; all arguments were agreed on, and all ranks are done with compositing. Every image is
// collected at a rank of its own, all at once; returns that of this rank. Contiguous tiles land where they
// belong, and those in the frame of the root's node stay where they are unless there is an `out`; pixels of
// an image that was dealt out come as they lie in the tile, and the root puts them in their places. `wire`
// says when this rank leaves out empty pixels; colours stay as they are. Throws TimeoutError.
std::optional<Frame> gather_tiles(const std::vector<Gathering>& images, const WireOptions& wire,
                                  const FrameContext& context);

// Collective: the strings of all ranks at the root, in the order of ranks and, of each, as they are there;
// nothing elsewhere. Throws TimeoutError, as above.
std::optional<std::vector<LayerString>> gather_strings(const std::vector<LayerString>& strings, int root,
                                                       const StringOptions& options,
                                                       const FrameContext& context);

}  // namespace sortlast
