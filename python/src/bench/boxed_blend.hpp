// blend_boxes: blend images of which only a box holds anything, reading nothing outside the boxes.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast::bench {

// {x0, y0, x1, y1}: the pixels of columns [x0, x1) and rows [y0, y1).
using Box = std::array<std::int64_t, 4>;

// Pixels `range`, in row-major order, of the composite of images `width` pixels wide from front to back, to
// `out`, whose pixel 0 is pixel range.begin. Image i is empty (see active.hpp) outside boxes[i]; `op` must be
// one that empty pixels do not change: over or closest.
void blend_boxes(Op op, const Format& format, std::span<const ConstPixels> images, std::span<const Box> boxes,
                 std::int64_t width, Range range, Pixels out);

}  // namespace sortlast::bench
