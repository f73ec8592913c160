// Copies of runs of pixels that may be as short as one.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace sortlast {

// Copy `pixels` pixels of `bytes` bytes each. Short runs are copied by moves of a fixed size: a call of
// memcpy costs more than they do.
template <std::size_t bytes>
inline void copy_pixels(std::byte* to, const std::byte* from, std::size_t pixels) {
  constexpr std::size_t few = 8;
  if (pixels > few) {
    std::memcpy(to, from, pixels * bytes);
    return;
  }
  for (std::size_t i = 0; i < pixels; ++i) std::memcpy(to + i * bytes, from + i * bytes, bytes);
}

// Call body with the bytes of a pixel's colour as a constant: 3, 4, 6, 8, 12 or 16.
template <class Body>
inline void with_colour_bytes(std::size_t bytes, Body body) {
  switch (bytes) {
    case 3:
      return body(std::integral_constant<std::size_t, 3>());
    case 4:
      return body(std::integral_constant<std::size_t, 4>());
    case 6:
      return body(std::integral_constant<std::size_t, 6>());
    case 8:
      return body(std::integral_constant<std::size_t, 8>());
    case 12:
      return body(std::integral_constant<std::size_t, 12>());
    default:
      return body(std::integral_constant<std::size_t, 16>());
  }
}

}  // namespace sortlast
