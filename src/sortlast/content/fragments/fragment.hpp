// Fragment: the order of depths, the storage of colours, and the blending of two fragments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "sortlast/image.hpp"

namespace sortlast {

// Red, green, blue and alpha, premultiplied, in one register.
using Colour __attribute__((vector_size(4 * sizeof(float)))) = float;

// Size of a stored colour in bytes.
constexpr std::size_t colour_bytes(Scalar scalar) {
  return 4 * (scalar == Scalar::uint8 ? 1 : sizeof(float));
}

inline Colour load_colour(const std::byte* from) {
  Colour colour;
  std::memcpy(&colour, from, sizeof colour);
  return colour;
}

inline void store_colour(const Colour& colour, std::byte* to) { std::memcpy(to, &colour, sizeof colour); }

// Colours of uint8 are multiples of 1/255, rounded to the nearest, ties to even. Both conversions use vector
// operations explicitly, because compilers convert vectors of bytes one byte at a time.
static_assert(std::endian::native == std::endian::little, "colours of uint8 are taken as numbers");
inline Colour load_bytes(const std::byte* from) {
  using Words __attribute__((vector_size(sizeof(Colour)))) = std::int32_t;
  constexpr float part = 1.0F / 255;
  std::uint32_t all = 0;
  std::memcpy(&all, from, sizeof all);
  const auto whole = static_cast<std::int32_t>(all);
  const Words shifted = Words{whole, whole, whole, static_cast<std::int32_t>(all >> 8U)} &
                        Words{0xff, 0xff00, 0xff0000, 0xff0000};
  const Colour parts = {part, part / (1 << 8), part / (1 << 16), part / (1 << 16)};
  return __builtin_convertvector(shifted, Colour) * parts;
}

inline void store_bytes(const Colour& colour, std::byte* to) {
  using Pairs __attribute__((vector_size(sizeof(Colour)))) = std::uint64_t;
  constexpr float to_last_bits = 1 << 23;  // added to a number below 2^22, rounds it to a whole one
  const Colour scaled = colour * 255.0F;
  const Colour positive = scaled > 0.0F ? scaled : Colour{};  // NaN is 0
  const Colour clamped = positive < 255.0F ? positive : Colour{} + 255.0F;
  Pairs pairs = std::bit_cast<Pairs>(clamped + to_last_bits) & 0xff000000ffU;
  pairs |= pairs >> 24U;
  auto all = static_cast<std::uint32_t>((pairs[0] & 0xffffU) | (pairs[1] & 0xffffU) << 16U);
  std::memcpy(to, &all, sizeof all);
}

template <Scalar scalar>
Colour load_colour_as(const std::byte* from) {
  if constexpr (scalar == Scalar::uint8) return load_bytes(from);
  return load_colour(from);
}

template <Scalar scalar>
void store_colour_as(const Colour& colour, std::byte* to) {
  if constexpr (scalar == Scalar::uint8) {
    store_bytes(colour, to);
  } else {
    store_colour(colour, to);
  }
}

// The same, if the scalar is only known at run time.
inline Colour load_colour(const std::byte* from, Scalar scalar) {
  return scalar == Scalar::uint8 ? load_bytes(from) : load_colour(from);
}

inline void store_colour(const Colour& colour, std::byte* to, Scalar scalar) {
  if (scalar == Scalar::uint8) {
    store_bytes(colour, to);
  } else {
    store_colour(colour, to);
  }
}

inline Colour blend_over(const Colour& front, const Colour& back) { return front + (1.0F - front[3]) * back; }

inline float load_depth(const std::byte* from) {
  float depth = 0;
  std::memcpy(&depth, from, sizeof depth);
  return depth;
}

// Unsigned integers in the order of the depths: -0 equals 0, and NaN is behind all others.
inline std::uint32_t depth_key(float depth) {
  constexpr std::uint32_t sign = 1U << 31U;
  const auto bits = std::bit_cast<std::uint32_t>(depth + 0.0F);
  const std::uint32_t negative = 0U - (bits >> 31U);
  return depth == depth ? bits ^ (negative | sign) : ~0U;
}

}  // namespace sortlast
