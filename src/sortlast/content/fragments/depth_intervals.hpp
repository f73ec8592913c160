// Depth intervals: the depth ranges of the ranks' fragments, tile by tile of the image. They determine how
// far a rank may blend its own fragments before it knows the others'.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image.hpp"

namespace sortlast {

// Keys of the nearest and the farthest fragment (depth_key()). Without fragments, `nearest` is above
// `farthest`.
struct DepthInterval {
  std::uint32_t nearest = ~0U;
  std::uint32_t farthest = 0;

  void include(std::uint32_t key) {
    nearest = key < nearest ? key : nearest;
    farthest = key > farthest ? key : farthest;
  }
};

// Division of the image into equal rectangles: 16 times 16, or fewer for small images.
class DepthTiles {
 public:
  explicit DepthTiles(Size size);

  std::size_t count() const { return static_cast<std::size_t>(columns_ * rows_); }
  std::int64_t width() const { return width_; }
  // Index of the tile of the pixel in this column and row.
  std::size_t tile(std::int64_t x, std::int64_t y) const {
    return static_cast<std::size_t>(y / tile_height_ * columns_ + x / tile_width_);
  }
  // Call action(tile, run of pixels [begin, end)) for the pixels in order.
  template <typename Action>
  void for_each_run(std::int64_t begin, std::int64_t end, const Action& action) const {
    while (begin < end) {
      const std::int64_t y = begin / width_;
      const std::int64_t x = begin % width_;
      const std::int64_t next = (x / tile_width_ + 1) * tile_width_;
      const std::int64_t run = (next < width_ ? next : width_) - x;
      const std::int64_t last = begin + run < end ? begin + run : end;
      action(tile(x, y), begin, last);
      begin = last;
    }
  }

 private:
  std::int64_t width_;
  std::int64_t tile_width_;
  std::int64_t tile_height_;
  std::int64_t columns_;
  std::int64_t rows_;
};

// Limits up to which each list of a rank may be blended.
class DepthLimits {
 public:
  // `all`: the intervals of all ranks, rank by rank; for each rank, tile by tile.
  DepthLimits(const DepthTiles& tiles, std::span<const DepthInterval> all, std::size_t rank);

  const DepthTiles& tiles() const { return tiles_; }
  // The limit of a list in the tile that begins at depth key `first`: other ranks' fragments lie before
  // `first`, or at the limit or beyond.
  std::uint64_t limit(std::size_t tile, std::uint32_t first) const;
  // Whether no two fragments of this rank in the tile can be blended before the other ranks' are known.
  bool parts_all(std::size_t tile) const { return parts_all_[tile]; }

 private:
  // Intervals of other ranks that end at `farthest` or beyond begin at `nearest` or later.
  struct Step {
    std::uint32_t farthest;
    std::uint32_t nearest;
  };

  DepthTiles tiles_;
  std::vector<std::vector<Step>> steps_;  // of each tile, sorted by `farthest`
  std::vector<bool> parts_all_;           // of each tile
};

}  // namespace sortlast
