// Wire options: how pixels travel between ranks; the same on every rank.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sortlast/image.hpp"

namespace sortlast {

struct WireOptions {
  std::int64_t chunk_bytes = 1 << 20;  // of dense pixels, that one message carries at most
  bool sparse = true;                  // leave out empty pixels where that pays, chunk by chunk
  bool half = false;                   // colours of float32 images travel as float16

  // Pixels of a chunk of an image format: at least 1024, and a multiple of that.
  std::int64_t chunk_pixels(const Format& format) const {
    constexpr std::int64_t least = 1024;
    const std::int64_t pixels = chunk_bytes / static_cast<std::int64_t>(format.pixel_bytes());
    return std::max(pixels / least, std::int64_t{1}) * least;
  }

  // What pixels that are stored as `format`, by images of `image`, travel as.
  Format on_the_wire(Format format, const Format& image) const {
    if (half && image.scalar == Scalar::float32) format.scalar = Scalar::float16;
    return format;
  }
};

}  // namespace sortlast
