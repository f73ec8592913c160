// What C callers pass as images and compositions, checked and as the library takes it; and finished pixels.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "handle.hpp"
#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/image.hpp"

struct sortlast_frame : sortlast::capi::Handle {
  sortlast::Frame frame;
};

struct sortlast_tile {
  sortlast::Tile tile;
  std::vector<sortlast_range> ranges = {};  // of the image
};

namespace sortlast::capi {

// Numbers of enumerations; all throw ArgumentError for those that are none.
Format format_of(const sortlast_format& format);
Op op_of(std::int32_t op);
Partition partition_of(std::int32_t partition);

inline ConstPixels pixels_of(const sortlast_image& image) {
  return {static_cast<const std::byte*>(image.colour), image.depth};
}

inline std::optional<Rectangle> bounds_of(const sortlast_image& image) {
  if (image.bounds == nullptr) return std::nullopt;
  return Rectangle{image.bounds->x0, image.bounds->y0, image.bounds->x1, image.bounds->y1};
}

// The p ranks that an array of a caller lists; empty if it is null.
std::vector<std::int32_t> ranks_of(const std::int32_t* ranks, std::int32_t p);

// One value a channel; empty if `background` is null.
std::vector<float> background_of(const float* background, const Format& format);

}  // namespace sortlast::capi
