// Tile data: the contents of a tile and the positions of its pixels in an image, for code that makes or
// gathers tiles.
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
  Memory shared;                             // the frame of its node, if the pixels lie in it
  std::shared_ptr<const Schedule> schedule;  // determines which rank holds which pixels
  std::shared_ptr<const void> maker;         // the compositor that made it
  std::int64_t frame = 0;                    // its frame number in that compositor
  Interleaving interleaving = {};            // maps the schedule's pixels to the image
  // Strings kept by a content of varying size (strings/packed_strings.hpp); null: the frame is dense.
  std::shared_ptr<const std::vector<LayerString>> joined = nullptr;
  // Whether the strings are lists of fragments, possibly intervals, possibly with channels (planes without
  // values).
  bool fragment_lists = false;
  bool fragment_intervals = false;
  std::vector<ChannelPlane> fragment_channels = {};
  // For pixels in the memory of a GPU: the stream on which they are finished, and the same pixels in memory
  // of the host, if they were finished there.
  void* stream = nullptr;
  PixelBuffer host = {};
  bool has_frame = false;  // the pixels are a whole frame in memory owned by the tile
  // If ranks were left out: the ranks of the frame, which are the schedule's participants, and the others.
  std::vector<std::int32_t> ranks = {};  // empty: all
  std::vector<std::int32_t> left_out = {};
  std::vector<ChannelPlane> channels = {};  // of the range's pixels, sorted by name
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

// Put the schedule's pixels [begin, end), stored consecutively at `from`, into their places in an image.
// Pixels that are already in place stay; no other overlap is allowed.
void put_pixels(const Interleaving& interleaving, const Format& format, Range pixels, ConstPixels from,
                Pixels image);

// Throw ArgumentError unless `out` is null or can hold a whole frame for the finished pixels of images like
// this one: with all planes, and not overlapping this image, which may cover only a box of the frame.
void check_output(const ImageView& image, Pixels out, Size frame);
inline void check_output(const ImageView& image, Pixels out) { check_output(image, out, image.size); }

}  // namespace sortlast::detail
