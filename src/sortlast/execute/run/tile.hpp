// Tile data: what a tile is made of, and where its pixels go in an image, for those that make and gather
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/tile.hpp"

namespace sortlast {
struct LayerString;
}

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
  // What a content of varying size keeps of its pixels (layers/packed_strings.hpp); null: of a dense frame.
  std::shared_ptr<const std::vector<LayerString>> joined = nullptr;
  // They are lists of fragments, maybe intervals, maybe with channels (these planes without values).
  bool fragment_lists = false;
  bool fragment_intervals = false;
  std::vector<ChannelPlane> fragment_channels = {};
  bool has_frame = false;  // the pixels are a whole frame in memory of the tile's own
  // Where ranks were left out: those of the frame, which are the schedule's participants, and the others.
  std::vector<std::int32_t> ranks = {};  // empty: all
  std::vector<std::int32_t> left_out = {};
  std::vector<ChannelPlane> channels = {};  // of the range's pixels, in the order of their names
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

// Put the schedule's pixels [begin, end), which lie one behind the other at `from`, where they belong in an
// image. Pixels that are there already stay; no other overlap is allowed.
void put_pixels(const Interleaving& interleaving, const Format& format, Range pixels, ConstPixels from,
                Pixels image);

// Throw ArgumentError unless `out` is null, or can be memory of a whole frame for the finished pixels of
// images like this one: with all planes, and apart from this one's, which may be of a box of the frame.
void check_output(const ImageView& image, Pixels out, Size frame);
inline void check_output(const ImageView& image, Pixels out) { check_output(image, out, image.size); }

}  // namespace sortlast::detail
