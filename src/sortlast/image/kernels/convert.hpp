// Conversions between float32 and the stored scalars, without branches.
//
// Compilers widen and narrow integers well in plain loops and badly between vectors of different sizes;
// with arithmetic that chooses between cases it is the other way round. So a conversion is two loops:
// over a short batch of stored integers and 32-bit words, and over vectors of words and floats.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

struct Float32 {
  using Stored = std::int32_t;

  template <int lanes>
  static Floats<lanes> to_float(Words<lanes> word) {
    return bits_as<Floats<lanes>>(word);
  }
};

// IEEE 754 binary16. Half to float is exact; float to half rounds to nearest, ties to even. A NaN keeps
// as much of its payload as fits, so that half to float to half returns every one of the 65536 patterns.
struct Float16 {
  using Stored = std::uint16_t;

  template <int lanes>
  static Floats<lanes> to_float(Words<lanes> half) {
    const Words<lanes> magnitude = (half & 0x7fff) << 13;
    const Words<lanes> exponent = magnitude & 0x0f800000;

    // Normal: rebias the exponent. Infinity and NaN: set all of its bits. Subnormal: m * 2^-24, which a
    // subtraction of 2^-14 (0x38800000) normalises.
    const Words<lanes> normal = magnitude + 0x38000000;
    const Words<lanes> special = magnitude | 0x7f800000;
    const Floats<lanes> biased = bits_as<Floats<lanes>>(magnitude + 0x38800000);
    const Words<lanes> subnormal = bits_as<Words<lanes>>(biased - 0x1p-14f);

    Words<lanes> result = exponent == 0 ? subnormal : normal;
    result = exponent == 0x0f800000 ? special : result;
    return bits_as<Floats<lanes>>(result | ((half & 0x8000) << 16));
  }

  template <int lanes>
  static Words<lanes> from_float(Floats<lanes> x) {
    const Words<lanes> all = bits_as<Words<lanes>>(x);
    const Words<lanes> magnitude = all & 0x7fffffff;

    // Normal: rebias and add half a unit less one (0xfff - 0x38000000), add one if odd, drop 13 bits; may
    // carry to infinity. Unsigned, since the lanes of NaNs overflow.
    const auto wide = bits_as<typename VectorOf<std::uint32_t, lanes>::type>(magnitude);
    const Words<lanes> normal = bits_as<Words<lanes>>((wide - 0x37fff001 + ((wide >> 13) & 1)) >> 13);
    // Subnormal: the addition of 0.5 (0x3f000000) aligns the last bit with 2^-24 and rounds.
    const Floats<lanes> aligned = bits_as<Floats<lanes>>(magnitude) + 0.5f;
    const Words<lanes> subnormal = bits_as<Words<lanes>>(aligned) - 0x3f000000;
    // NaN: the upper bits of the payload, or the quiet bit if none of them is set.
    const Words<lanes> payload = (magnitude >> 13) & 0x3ff;
    const Words<lanes> nan = (payload == 0 ? Words<lanes>{} + 0x200 : payload) | 0x7c00;

    Words<lanes> result = magnitude < 0x38800000 ? subnormal : normal;
    result = magnitude >= 0x47800000 ? Words<lanes>{} + 0x7c00 : result;
    result = magnitude > 0x7f800000 ? nan : result;
    return result | ((all >> 16) & 0x8000);
  }
};

// Bytes that stand for [0, 1]. Stored saturating, NaN as 0.
struct Uint8 {
  using Stored = std::uint8_t;

  template <int lanes>
  static Floats<lanes> to_float(Words<lanes> whole) {
    return __builtin_convertvector(whole, Floats<lanes>) * (1.0f / 255);
  }

  template <int lanes>
  static Words<lanes> from_float(Floats<lanes> x) {
    x = x > 0.0f ? x : Floats<lanes>{};
    x = x < 1.0f ? x : Floats<lanes>{} + 1.0f;
    // 2^23 (0x4b000000) leaves no bits for a fraction: the addition rounds to nearest even.
    return bits_as<Words<lanes>>(x * 255.0f + 0x1p23f) - 0x4b000000;
  }
};

// The words of `channels` <= batch stored scalars: where they lie, if they are words, or in `room`.
template <class Scalar>
inline const std::byte* widen(WordBuffer& room, const std::byte* from, std::size_t channels) {
  using Stored = typename Scalar::Stored;
  if constexpr (sizeof(Stored) == 4) {
    return from;
  } else {
    for (std::size_t i = 0; i < channels; ++i)
      write(room.words + i * 4, static_cast<std::int32_t>(read<Stored>(from + i * sizeof(Stored))));
    return room.words;
  }
}

template <class Scalar>
void load(std::byte* to, const std::byte* from, std::size_t channels) {
  WordBuffer room;
  for (std::size_t begin = 0; begin < channels; begin += batch) {
    const std::size_t count = channels - begin < batch ? channels - begin : batch;
    const std::byte* words = widen<Scalar>(room, from + begin * sizeof(typename Scalar::Stored), count);
    each_vector<1>(count, [=]<int lanes>(std::size_t i) {
      write(to + (begin + i) * 4, Scalar::template to_float<lanes>(read<Words<lanes>>(words + i * 4)));
    });
  }
}

template <class Scalar>
void store(std::byte* to, const std::byte* from, std::size_t channels) {
  using Stored = typename Scalar::Stored;
  WordBuffer room;
  std::byte* const words = room.words;
  for (std::size_t begin = 0; begin < channels; begin += batch) {
    const std::size_t count = channels - begin < batch ? channels - begin : batch;
    each_vector<1>(count, [=]<int lanes>(std::size_t i) {
      write(words + i * 4, Scalar::template from_float<lanes>(read<Floats<lanes>>(from + (begin + i) * 4)));
    });
    std::byte* const stored = to + begin * sizeof(Stored);
    for (std::size_t i = 0; i < count; ++i)
      write(stored + i * sizeof(Stored), static_cast<Stored>(read<std::int32_t>(words + i * 4)));
  }
}

}  // namespace sortlast::SORTLAST_TARGET
