// What a tile is made of, for those that make and gather tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::detail {

struct TileData {
  Range range;  // of the schedule's pixels
  Size size;    // of the whole image
  Format format;
  PixelBuffer pixels;
  Memory shared;                             // the frame of its node, if the pixels lie in one
  std::shared_ptr<const Schedule> schedule;  // tells which rank holds which pixels
  std::shared_ptr<const void> maker;         // the compositor that made it, and
  std::int64_t frame = 0;                    // the number of its frame there
  Interleaving interleaving = {};            // where the schedule's pixels lie in the image
};

struct TileAccess {
  static Tile make(TileData data) {
    Tile tile;
    tile.data_ = std::make_shared<const TileData>(std::move(data));
    return tile;
  }
  static const TileData& data(const Tile& tile) {
    static const TileData nothing{};
    return tile.data_ ? *tile.data_ : nothing;
  }
};

}  // namespace sortlast::detail
