// Layer frames: how a compositor's calls composite contents of varying size (see layers/content.hpp), and
// gather what their tiles keep.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/execute/layers/content.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/node/publishing.hpp"
#include "sortlast/execute/run/tile.hpp"

namespace sortlast {

// One frame of contents of varying size, as one rank asks for it.
struct LayerCall {
  Size size;      // of the whole image
  Format format;  // of the finished pixels
  // What else all ranks must pass alike, by name; the kind of content among it.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  // What is wrong with this rank's own arguments, which all ranks then hear of; empty: nothing.
  std::string problem = {};
  // Makes the content, once all ranks have agreed. It may communicate, as all ranks call it. An ArgumentError
  // or MismatchError that it throws must be thrown by all.
  std::function<std::unique_ptr<const LayerContent>(const FrameContext&)> content;
  // Called then, with the tile whose pixels are not finished yet; it may add to it. None: nothing is.
  std::function<void(detail::TileData&)> prepare = {};
  // The rank that finishes all pixels; -1: the algorithm shares them out.
  int collected_at = -1;
  // This rank's memory that the ranks of the node may read, all of it or none.
  std::vector<Span> exposed = {};
};

}  // namespace sortlast
