// Box frames: composites several images per rank, each covering a box of the frame at a separate depth
// position.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// The arguments of one rank for a frame of several images per rank.
struct BoxCall {
  std::span<const BoxImage> images;
  Size size;
  const Composition& composition;
  PixelBuffer out = {};
  float background_depth = std::numeric_limits<float>::infinity();
  // The format of all images, if the caller knows it without having an image: it is compared with the
  // others'.
  std::optional<Format> format = {};
};

}  // namespace sortlast
