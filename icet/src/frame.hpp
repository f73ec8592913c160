// Frames: from the call of a program to its image.
#pragma once

#include "context.hpp"
#include "request.hpp"

namespace sortlast::icet {

// Draw and composite; collective. The image that this rank gets, or the null image; also after an error,
// which is raised.
IceTImage make_frame(IceTContextStruct& context, const FrameRequest& request);

}  // namespace sortlast::icet
