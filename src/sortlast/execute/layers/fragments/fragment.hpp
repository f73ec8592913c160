// Fragment: the order of depths, and how two fragments blend.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sortlast {

constexpr std::size_t colour_bytes = 4 * sizeof(float);
constexpr std::size_t fragment_bytes = colour_bytes + sizeof(float);  // without its rank

// Red, green, blue and alpha, premultiplied, in one register.
using Colour __attribute__((vector_size(colour_bytes))) = float;

inline Colour load_colour(const std::byte* from) {
  Colour colour;
  std::memcpy(&colour, from, sizeof colour);
  return colour;
}

inline void store_colour(const Colour& colour, std::byte* to) { std::memcpy(to, &colour, sizeof colour); }

inline Colour blend_over(const Colour& front, const Colour& back) { return front + (1.0F - front[3]) * back; }

inline float load_depth(const std::byte* from) {
  float depth = 0;
  std::memcpy(&depth, from, sizeof depth);
  return depth;
}

// Unsigned numbers in the order of depths: -0 as 0, and NaN behind all others.
inline std::uint32_t depth_key(float depth) {
  constexpr std::uint32_t sign = 1U << 31U;
  const auto bits = std::bit_cast<std::uint32_t>(depth + 0.0F);
  const std::uint32_t negative = 0U - (bits >> 31U);
  return depth == depth ? bits ^ (negative | sign) : ~0U;
}

}  // namespace sortlast
