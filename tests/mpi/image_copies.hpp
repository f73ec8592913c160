// Copies of images in whatever memory they are to be read from.
#pragma once

#include <cstring>
#include <utility>

#include "sortlast/compositor.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/image.hpp"

namespace sortlast::testing {

// Where a rank's image lies.
enum class Place { own, allocated, colour_allocated };

// A copy of a rank's image, wherever it is to lie; whoever frees it has to have overwritten it.
class Copy {
 public:
  Copy(Compositor& compositor, Place place, const ImageView& from) : image_(from) {
    if (from.pixels.colour == nullptr) return;
    const auto count = static_cast<std::size_t>(from.size.pixels());
    const std::size_t colour = count * from.format.colour_bytes();
    const std::size_t depth = from.format.depth ? count * sizeof(float) : 0;
    colour_ = place == Place::own ? pool_.take(colour) : compositor.allocate(colour);
    depth_ = place == Place::allocated ? compositor.allocate(depth) : pool_.take(depth);
    if (count == 0) return;
    std::memcpy(colour_.get(), from.pixels.colour, colour);
    if (depth > 0) std::memcpy(depth_.get(), from.pixels.depth, depth);
    bytes_ = {colour, depth};
    image_.pixels = {colour_.get(), reinterpret_cast<const float*>(depth_.get())};
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  ~Copy() {
    if (bytes_.first > 0) std::memset(colour_.get(), 0x5a, bytes_.first);
    if (bytes_.second > 0) std::memset(depth_.get(), 0x5a, bytes_.second);
  }

  ImageView& image() { return image_; }

 private:
  Pool pool_;
  Memory colour_;
  Memory depth_;
  std::pair<std::size_t, std::size_t> bytes_;
  ImageView image_;
};

}  // namespace sortlast::testing
