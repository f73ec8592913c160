// Straight alpha: colours that are not multiplied by their alpha, made premultiplied, and found where they
// were taken for it.
#pragma once

#include <cstdint>
#include <optional>

#include "sortlast/image.hpp"

namespace sortlast {

// Write n pixels of straight RGBA with each colour multiplied by its alpha; alpha and depth stay as they are.
// float32 and float16 are rounded once, uint8 as colour * alpha / 255 to nearest. `out` may be the input.
// Throws ArgumentError for a format without alpha.
void premultiply(const Format& format, ConstPixels straight, Pixels out, std::int64_t n);

// The first of n pixels with a colour above its alpha, which no premultiplied pixel of a surface or of a
// volume has; none if there is no such pixel. One that emits more light than it covers may have: what glows
// is no fault. float colours may pass their alpha by 2^-10 of it, which rounding explains. NaN counts as
// below.
std::optional<std::int64_t> find_straight(const Format& format, ConstPixels pixels, std::int64_t n);

}  // namespace sortlast
