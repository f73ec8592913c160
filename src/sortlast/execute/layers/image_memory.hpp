// Image memory: images of other ranks that are read where they lie.
#pragma once

#include <cstdint>
#include <span>

#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class ImageMemory {
 public:
  virtual ~ImageMemory() = default;

  // Whether the images of the rank can be read, its own among them.
  virtual bool lends(std::int32_t rank) const = 0;
  // Whether some of them are copied through the kernel.
  virtual bool pulls_from(std::int32_t rank) const = 0;

  // Image `index` of a rank, if it can be read where it lies; else null, and it has to be fetched.
  virtual ConstPixels lying(std::int32_t rank, std::int32_t index) const = 0;

  struct Fetch {
    std::int32_t index = 0;  // of the image
    Range pixels;            // which of its pixels
    Pixels to;
  };
  // Copy pixels of a rank's images. Throws Error. For any thread.
  virtual void fetch(std::int32_t rank, std::span<const Fetch> parts) const = 0;
};

}  // namespace sortlast
