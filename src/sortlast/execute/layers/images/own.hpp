// Own: the layers of the images that a rank has itself.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/execute/layers/images/layer.hpp"
#include "sortlast/execute/layers/images/layout.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// One of a rank's images, all of it inside the frame.
struct OwnImage {
  std::uint32_t place = 0;  // in depth, of all images of all ranks: 0 is the front-most
  Rectangle box;            // of the frame, of which it holds the pixels, row by row
  ConstPixels pixels;
  Rectangle active;                        // within the box: all pixels outside are empty
  std::vector<const std::byte*> channels;  // their values, in the layout's order
  bool sparse = false;                     // of boxes without channels: empty pixels are worth leaving out
};

// Append the layer of the image's drawn pixels among `pixels` of a frame that is `width` pixels wide: also if
// there are none. Returns how many there are. At most 2^32 - 1 pixels.
std::uint32_t append_own(const ChannelLayout& layout, const OwnImage& image, std::int64_t width, Range pixels,
                         Bytes& out);

}  // namespace sortlast
