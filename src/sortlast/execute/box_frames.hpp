// Box frames: how a compositor's calls composite several images a rank, each of a box of the frame and at a
// place of its own in depth.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

class Node;

// One frame of several images a rank, as one rank asks for it.
struct BoxCall {
  std::span<const BoxImage> images;
  Size size;
  const Composition& composition;
  PixelBuffer out = {};
  float background_depth = std::numeric_limits<float>::infinity();
  // Of all images, if the caller knows it without having one: it is compared with that of the others'.
  std::optional<Format> format = {};
};

// Memory of a whole frame that the mates can read, in which a rank's images become one; used again from frame
// to frame. Pages outside the images are never touched.
class BoxMemory {
 public:
  PixelBuffer frame(Size size, const Format& format, Node& node);
  // Messages may still be read from it when the compositor is gone.
  void keep_for_ever() noexcept;

 private:
  Memory memory_;
  std::size_t bytes_ = 0;
};

}  // namespace sortlast
