// Selection by depth: the nearest depth alone, and the pixel that has it.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

// Whether the back is to be seen: nearer than the front, or the front has no depth (NaN) and it has one.
template <class F>
inline auto back_is_nearer(F front, F back) {
  return (!(front <= back)) & (back == back);
}

template <bool link_in_front, class F>
inline auto link_is_seen(F gathered, F link) {
  if constexpr (link_in_front)
    return !back_is_nearer(link, gathered);
  else
    return back_is_nearer(gathered, link);
}

template <bool link_in_front>
void nearest_depth(std::byte* to, const std::byte* gathered, const std::byte* link, std::size_t pixels) {
  const auto step = [=]<int lanes>(std::size_t i) {
    const auto a = read<Floats<lanes>>(gathered + i * 4);
    const auto b = read<Floats<lanes>>(link + i * 4);
    write(to + i * 4, link_is_seen<link_in_front>(a, b) ? b : a);
  };
  std::size_t i = 0;
  for (; i + native_lanes <= pixels; i += native_lanes) step.template operator()<native_lanes>(i);
  for (; i < pixels; ++i) step.template operator()<1>(i);
}

// The pixel of either source is read through a selected address: no branch for the depths to mispredict.
template <bool link_in_front, std::size_t colour_bytes>
void closest(std::byte* to, std::byte* to_depth, const std::byte* gathered, const std::byte* gathered_depth,
             const std::byte* link, const std::byte* link_depth, std::size_t pixels) {
  struct Colour {
    std::byte bytes[colour_bytes];
  };
  for (std::size_t i = 0; i < pixels; ++i) {
    const float a = read<float>(gathered_depth + i * 4);
    const float b = read<float>(link_depth + i * 4);
    const bool seen = link_is_seen<link_in_front>(a, b);
    write(to + i * colour_bytes, read<Colour>((seen ? link : gathered) + i * colour_bytes));
    write(to_depth + i * 4, seen ? b : a);
  }
}

}  // namespace sortlast::SORTLAST_TARGET
