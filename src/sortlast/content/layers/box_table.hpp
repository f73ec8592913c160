// BoxTable: the positions of the images of all ranks, in the frame and in depth. The same on every rank.
//
// Positions may be any integers. The table sorts them, and from then on an image is identified by its place:
// its index in depth, 0 for the frontmost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// The box of an image: the whole frame if it has none.
Rectangle box_of(const BoxImage& image, Size frame);

// Throws ArgumentError unless every image has the given format and the size of its box, which must lie within
// the frame.
void check_box_images(std::span<const BoxImage> images, Size frame, const Format& format);

inline std::int64_t area(const Rectangle& box) { return (box.x1 - box.x0) * (box.y1 - box.y0); }

// A box image of any rank.
struct PlacedBox {
  std::int64_t position = 0;
  Rectangle box;
  std::int32_t rank = 0;
  std::int32_t index = 0;  // among its rank's images
};

class BoxTable {
 public:
  using Place = std::uint32_t;

  // The images of all ranks, in any order; boxes lie within the frame. Throws ArgumentError if two share a
  // position: the text names their ranks and does not depend on the order.
  BoxTable(std::vector<PlacedBox> boxes, Size frame);

  std::size_t size() const { return boxes_.size(); }
  Size frame() const { return frame_; }
  const PlacedBox& at(Place place) const { return boxes_[place]; }
  std::int64_t pixels() const;  // of all images

  // Whether the image holds any of these pixels of the frame (row-major).
  bool meets(Place place, Range pixels) const;
  // All images that hold any of these pixels, front to back.
  std::vector<Place> meeting(Range pixels) const;

  // ---- The images of each rank as one image ----

  // The ranks from front to back, ranks without images last; empty if the images of two ranks interleave.
  std::vector<std::int32_t> order_of_ranks(std::int32_t p) const;
  // The smallest rectangle that holds all images of a rank; all 0 if it has none.
  Rectangle bounds_of(std::int32_t rank) const;

 private:
  std::int64_t band_of(std::int64_t row) const { return row / band_rows_; }

  Size frame_;
  std::vector<PlacedBox> boxes_;  // by place
  std::int64_t band_rows_ = 1;
  std::vector<std::vector<Place>> bands_;  // by band of rows: the images that have some of them
};

}  // namespace sortlast
