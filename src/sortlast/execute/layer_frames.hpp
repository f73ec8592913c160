// Layer frames: composites contents of varying size (see content/strings/string_codec.hpp), and gathers the
// strings that their tiles keep.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/content/strings/string_codec.hpp"
#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/execute/node/publishing.hpp"

namespace sortlast {

// The arguments of one rank for a frame of contents of varying size.
struct LayerCall {
  Size size;      // of the whole image
  Format format;  // of the finished pixels
  // Further arguments that must be the same on all ranks, by name; they include the kind of content.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  // An error in this rank's own arguments, to be reported to all ranks; empty: none.
  std::string problem = {};
  // Makes the content, once all ranks have agreed. It may communicate, as all ranks call it. An ArgumentError
  // or MismatchError must be thrown on all ranks.
  std::function<std::unique_ptr<const StringCodec>(const FrameContext&)> content;
  // Optional. Called next, with the tile before its pixels are finished; it may add to it.
  std::function<void(detail::TileData&)> prepare = {};
  // The rank that finishes all pixels; -1: the algorithm distributes them.
  int collected_at = -1;
  // Memory of this rank that the ranks of the node may read; they can read all of it or none.
  std::vector<Span> exposed = {};
};

}  // namespace sortlast
