// Box frames: how a compositor's calls composite several images per rank, each of a box of the frame and at a
// place of its own in depth.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// One frame of several images per rank, as one rank asks for it.
struct BoxCall {
  std::span<const BoxImage> images;
  Size size;
  const Composition& composition;
  PixelBuffer out = {};
  float background_depth = std::numeric_limits<float>::infinity();
  // The format of all images, if the caller knows it without having one: it is compared with the others'.
  std::optional<Format> format = {};
};

}  // namespace sortlast
