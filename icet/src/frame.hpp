// Frames: from the call of a program to its image.
#pragma once

#include "context.hpp"

namespace sortlast::icet {

// What a frame is asked for with. Matrices and background may be null.
struct FrameRequest {
  const IceTDouble* projection = nullptr;
  const IceTDouble* modelview = nullptr;
  const IceTFloat* background = nullptr;
  // Pixels that were drawn already, of the size of the global viewport; null: the callback draws.
  const Image* drawn = nullptr;
  Viewport valid = {};  // of these pixels
};

// Draw and composite; collective. The image that this rank gets, or null. Throws.
Image* make_frame(IceTContextStruct& context, const FrameRequest& request);

}  // namespace sortlast::icet
