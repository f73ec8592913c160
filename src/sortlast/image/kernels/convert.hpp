// Conversions between float32 and the stored scalars, without branches.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

struct Float32 {
  static constexpr std::size_t bytes = 4;

  template <int lanes>
  static Floats<lanes> load(const std::byte* from) {
    return read<Floats<lanes>>(from);
  }
  static std::uint32_t store(float x) { return bits_as<std::uint32_t>(x); }
  using Stored = std::uint32_t;
};

// IEEE 754 binary16. Half to float is exact; float to half rounds to nearest, ties to even. A NaN keeps
// as much of its payload as fits, so that half to float to half returns every one of the 65536 patterns.
struct Float16 {
  static constexpr std::size_t bytes = 2;

  template <int lanes>
  static Floats<lanes> load(const std::byte* from) {
    using U = Words<lanes>;
    const U half = __builtin_convertvector(read<typename VectorOf<std::uint16_t, lanes>::type>(from), U);
    const U magnitude = (half & 0x7fff) << 13;
    const U exponent = magnitude & 0x0f800000;

    // Rebias the exponent; infinity and NaN keep all of its bits; subnormals are m * 2^-24, which a
    // subtraction of 2^-14 (0x38800000) normalises.
    const U normal = magnitude + 0x38000000;
    const U special = magnitude | 0x7f800000;
    const Floats<lanes> smallest_normal = bits_as<Floats<lanes>>(U{} + 0x38800000);
    const U subnormal = bits_as<U>(bits_as<Floats<lanes>>(magnitude + 0x38800000) - smallest_normal);
    U result = exponent == 0 ? subnormal : normal;
    result = exponent == 0x0f800000 ? special : result;

    return bits_as<Floats<lanes>>(result | ((half & 0x8000) << 16));
  }

  using Stored = std::uint16_t;
  static Stored store(float x) {
    const std::uint32_t all = bits_as<std::uint32_t>(x);
    const std::uint32_t magnitude = all & 0x7fffffff;

    // Normal: rebias, add half a unit less one (plus one if odd), drop 13 bits; may carry to infinity.
    const std::uint32_t normal = (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
    // Subnormal: an addition of 0.5 aligns the last bit with 2^-24 and rounds.
    const std::uint32_t subnormal = bits_as<std::uint32_t>(bits_as<float>(magnitude) + 0.5f) - 0x3f000000;
    // NaN: the upper bits of the payload, or the quiet bit if none of them is set.
    const std::uint32_t payload = (magnitude >> 13) & 0x3ff;
    const std::uint32_t nan = 0x7c00 | (payload == 0 ? 0x200 : payload);

    std::uint32_t result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x47800000 ? 0x7c00 : result;
    result = magnitude > 0x7f800000 ? nan : result;
    return static_cast<Stored>(result | ((all >> 16) & 0x8000));
  }
};

// Unsigned integers that stand for [0, 1]. Stored saturating, NaN as 0.
template <class Integer, int largest>
struct Unorm {
  static constexpr std::size_t bytes = sizeof(Integer);

  template <int lanes>
  static Floats<lanes> load(const std::byte* from) {
    const auto stored = read<typename VectorOf<Integer, lanes>::type>(from);
    const auto whole = __builtin_convertvector(stored, typename VectorOf<std::int32_t, lanes>::type);
    return __builtin_convertvector(whole, Floats<lanes>) * (1.0f / largest);
  }

  using Stored = Integer;
  static Stored store(float x) {
    x = x > 0.0f ? x : 0.0f;
    x = x < 1.0f ? x : 1.0f;
    // 2^23 leaves no bits for a fraction: the addition rounds to nearest even, the low bits are the integer.
    return static_cast<Stored>(bits_as<std::uint32_t>(x * float{largest} + 8388608.0f));
  }
};
using Uint8 = Unorm<std::uint8_t, 255>;
using Unorm16 = Unorm<std::uint16_t, 65535>;

template <class Scalar>
void load_float32(std::byte* __restrict to, const std::byte* __restrict from, std::size_t channels) {
  std::size_t i = 0;
  for (; i + native_lanes <= channels; i += native_lanes)
    write(to + i * 4, Scalar::template load<native_lanes>(from + i * Scalar::bytes));
  for (; i < channels; ++i) write(to + i * 4, Scalar::template load<1>(from + i * Scalar::bytes));
}

template <class Scalar>
void store_float32(std::byte* __restrict to, const std::byte* __restrict from, std::size_t channels) {
  for (std::size_t i = 0; i < channels; ++i)
    write(to + i * Scalar::bytes, Scalar::store(read<float>(from + i * 4)));
}

}  // namespace sortlast::SORTLAST_TARGET
