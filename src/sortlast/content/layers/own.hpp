// Own: the layers of a rank's own images.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/content/layers/layer.hpp"
#include "sortlast/content/layers/layout.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// One of a rank's images; it lies completely inside the frame.
struct OwnImage {
  std::uint32_t place = 0;  // in depth, among all images of all ranks: 0 is the frontmost
  Rectangle box;            // the part of the frame that it covers, row by row
  ConstPixels pixels;
  Rectangle active;                        // within the box: all pixels outside are empty
  std::vector<const std::byte*> channels;  // their values, in the layout's order
  bool sparse = false;  // for boxes without channels: whether leaving out empty pixels pays
};

// Append the layer of the image's drawn pixels within `pixels` of a frame that is `width` pixels wide, even
// if there are none. Returns their number. At most 2^32 - 1 pixels.
std::uint32_t append_own(const ChannelLayout& layout, const OwnImage& image, std::int64_t width, Range pixels,
                         Bytes& out);

}  // namespace sortlast
