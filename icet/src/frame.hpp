// Frames: from a program's call to its image.
#pragma once

#include "context.hpp"
#include "request.hpp"

namespace sortlast::icet {

// Draw and composite; collective. Returns this rank's image, or the null image. Errors are reported and give
// the null image.
IceTImage make_frame(IceTContextStruct& context, const FrameRequest& request);

}  // namespace sortlast::icet
