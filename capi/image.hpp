// Checks and converts images, compositions, boxes and viewpoints of C callers; and handles of frames and
// visibility orders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "handle.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/visibility.hpp"

struct sortlast_frame : sortlast::capi::Handle {
  sortlast::Frame frame;
};

struct sortlast_visibility : sortlast::capi::Handle {
  std::vector<std::int32_t> order;
};

namespace sortlast::capi {

// The member of `values` with the caller's number; `what` names it in messages.
template <typename Value, std::size_t count>
Value by_number(const Value (&values)[count], std::int32_t number, const char* what) {
  if (number >= 0 && number < static_cast<std::int32_t>(count)) return values[number];
  throw ArgumentError(std::string(what) + " is number " + std::to_string(number) + "; expected one of 0.." +
                      std::to_string(count - 1) + ", see sortlast.h");
}

// Numbers of enumerations. All throw ArgumentError for an invalid number.
Format format_of(const sortlast_format& format);
Op op_of(std::int32_t op);

inline ConstPixels pixels_of(const sortlast_image& image) {
  return {static_cast<const std::byte*>(image.colour), image.depth};
}

inline std::optional<Rectangle> bounds_of(const sortlast_image& image) {
  if (image.bounds == nullptr) return std::nullopt;
  return Rectangle{image.bounds->x0, image.bounds->y0, image.bounds->x1, image.bounds->y1};
}

// The p ranks listed in a caller's array; empty if it is null.
std::vector<std::int32_t> ranks_of(const std::int32_t* ranks, std::int32_t p);

// All defaults for null. Throws ArgumentError for an invalid size.
sortlast_composition read_composition(const sortlast_composition* composition);

// One value per channel; empty if `background` is null.
std::vector<float> background_of(const float* background, const Format& format);

// Empty for null.
Box box_of(const sortlast_box* box);
Viewpoint viewpoint_of(const sortlast_viewpoint& viewpoint);

}  // namespace sortlast::capi
