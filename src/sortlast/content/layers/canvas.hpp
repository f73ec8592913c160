// Canvas: consecutive pixels of a frame, onto which layers are blended front to back.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sortlast/content/layers/layer.hpp"
#include "sortlast/image/accumulator.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Each layer is blended over its own pixels only, one row at a time. The alternative, to cut the pixels at
// the edges of all boxes and blend all images of a part in one pass, would produce parts of a pixel or two
// where hundreds of boxes cross a row. The first layer of a pixel is copied, so nothing has to be cleared
// before. Colours and depths only: layers with channels are joined by join.hpp.
class Canvas {
 public:
  Canvas(const Accumulator& accumulator, std::int64_t frame_width)
      : accumulator_(accumulator), width_(frame_width) {}

  // Begin with `pixels`, stored from `to` on.
  void begin(Range pixels, Pixels to);

  // Blend a layer behind all previous ones. It must lie within the pixels.
  void add(const Layer& layer);

  // Call action(Range), in ascending order, for the pixels covered by no layer, or by at least one.
  template <typename Action>
  void for_each_gap(const Action& action) const {
    std::int64_t at = pixels_.begin;
    for_each_covered([&](Range some) {
      if (at < some.begin) action(Range{at, some.begin});
      at = some.end;
    });
    if (at < pixels_.end) action(Range{at, pixels_.end});
  }
  template <typename Action>
  void for_each_covered(const Action& action) const {
    for (const std::vector<Range>& row : covered_)
      for (const Range& some : row) action(some);
  }

 private:
  template <typename First, typename Behind>
  static void cover(std::vector<Range>& row, Range run, const First& first, const Behind& behind);

  const Accumulator& accumulator_;
  std::int64_t width_;
  Range pixels_;
  Pixels to_;
  std::vector<std::vector<Range>> covered_;  // by row: the covered runs, disjoint and ascending
};

}  // namespace sortlast
