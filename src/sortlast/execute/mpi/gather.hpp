// Gather: collects tiles of dense pixels, and the joined strings kept by tiles of contents of varying size.
#pragma once

#include <optional>
#include <vector>

#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/content/strings/packed_strings.hpp"
#include "sortlast/execute/mpi/exchange.hpp"

namespace sortlast {

// A tile's image, to be collected at a rank.
struct Gathering {
  const detail::TileData& tile;
  int root = 0;
  bool with_depth = false;
  PixelBuffer out = {};          // memory for the frame at the root; none: anywhere
  std::vector<bool> taken = {};  // by rank: its tile is at the root already; empty: none is
};

// Collective, after all arguments have been agreed on and all ranks have finished compositing. Each image is
// collected at a different rank, all at the same time; returns the image of this rank. Contiguous tiles are
// received in place, and tiles in the frame of the root's node are not copied unless there is an `out`.
// Pixels of an image that was dealt out are sent in the order of the tile, and the root puts them in their
// places. `wire` determines when this rank leaves out empty pixels; colours are not converted. Throws
// TimeoutError.
std::optional<Frame> gather_tiles(const std::vector<Gathering>& images, const WireOptions& wire,
                                  const FrameContext& context);

// Collective: at the root, the strings of all ranks, in the order of ranks and of each rank's list; nothing
// elsewhere. Throws TimeoutError, as above.
std::optional<std::vector<LayerString>> gather_strings(const std::vector<LayerString>& strings, int root,
                                                       const StringOptions& options,
                                                       const FrameContext& context);

}  // namespace sortlast
