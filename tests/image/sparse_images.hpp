// Images with empty pixels for the tests, and their runs.
#pragma once

#include <algorithm>

#include "image/images.hpp"

namespace sortlast::testing {

// How the active pixels of an image lie.
enum class Pattern { none, all, single, scattered, boxes, halves };
inline constexpr Pattern all_patterns[] = {Pattern::none,      Pattern::all,   Pattern::single,
                                           Pattern::scattered, Pattern::boxes, Pattern::halves};

inline void clear_pixel(Image& image, std::int64_t i) {
  std::memset(image.pixels(i).colour, 0, image.format().colour_bytes());
  if (image.format().depth) image.set_depth(i, std::numeric_limits<float>::infinity());
}

// Make all pixels empty but those of a pattern. Boxes are rows of 700 pixels that repeat every 1900.
inline void keep_pattern(Image& image, std::int64_t n, Pattern pattern, std::mt19937& random) {
  const auto start = static_cast<std::int64_t>(random() % 1900);
  const auto chosen = static_cast<std::int64_t>(random() % 4097);
  for (std::int64_t i = 0; i < n; ++i) {
    bool keep = pattern == Pattern::all;
    if (pattern == Pattern::single) keep = i == chosen % n;
    if (pattern == Pattern::scattered) keep = random() % 8 == 0;
    if (pattern == Pattern::boxes) keep = (i + start) % 1900 < 700;
    if (pattern == Pattern::halves) keep = (i < n / 2) == (start % 2 == 0);
    if (!keep) clear_pixel(image, i);
  }
}

// Whether pixel i is the empty one, by its definition.
inline bool is_empty(Image& image, std::int64_t i) {
  const std::byte* const colour = image.pixels(i).colour;
  const bool black = std::all_of(colour, colour + image.format().colour_bytes(),
                                 [](std::byte byte) { return byte == std::byte{0}; });
  return black && (!image.format().depth || image.depth(i) == std::numeric_limits<float>::infinity());
}

}  // namespace sortlast::testing
