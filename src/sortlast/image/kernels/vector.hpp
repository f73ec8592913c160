// Short vectors of the compiler (GCC and Clang), as wide as the instruction set being compiled for, and
// conversions of stored scalars to vectors of float32 and back.
//
// Included only by kernels.cpp, once per instruction set, inside its namespace. Neither this file nor its
// neighbours may call anything of std: an inline function compiled for AVX-512 could be the copy that the
// linker keeps for the whole program.
//
// Rejected: Google Highway (1.0.3, the version of Debian 12). It has no vectors for plain x86-64, which is
// SSE2, and a port did not stay within 3 % everywhere. Its time divided by ours, alternating on one core of a
// Xeon with AVX-512, GCC 12, medians of 101, blocks of 1024 pixels in the cache:
//
//              over             closest RGBA     active RGBA
//              float32  uint8   float32  uint8   float32  with depth  uint8
//   x86-64-v4  0.99     0.86    1.07     0.97    0.68     0.77        0.18
//   x86-64-v3  0.98     0.74    1.20     0.97    0.91     0.99        0.52
//
// With images of 32 MiB, where memory is the limit, the medians ranged from 0.87 to 1.11, except for the last
// column (0.8). At that time this code widened bytes through a buffer; Highway did so in registers, as
// words.hpp does now. Highway's remaining advantage is taking a bit mask from a comparison, which the
// compiler's vectors cannot express.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace sortlast::SORTLAST_TARGET {

#if defined(__AVX512F__)
inline constexpr int native_lanes = 16;
#elif defined(__AVX2__)
inline constexpr int native_lanes = 8;
#else
inline constexpr int native_lanes = 4;
#endif

template <class T, int lanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(sizeof(T) * lanes)));
};
template <int lanes>
using Floats = typename VectorOf<float, lanes>::type;
template <int lanes>
using Words = typename VectorOf<std::int32_t, lanes>::type;

// Read a vector from an address of any alignment.
template <class V>
inline V read(const std::byte* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <class V>
inline void write(std::byte* to, const V& v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// Reinterpret the bits as another type.
template <class To, class From>
inline To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// Number of bytes of a link to prefetch. The processor's own prefetching starts again with each link of each
// block, which costs a chain of 8 links a fifth of its speed.
inline constexpr std::size_t prefetch_bytes = 2048;

// Call step<lanes>(i) for i from 0 to count: first whole vectors of `most` lanes, then the rest in pieces of
// `least` lanes. `count` must be a multiple of `least`.
template <int least, int most = native_lanes, class Step>
inline void each_vector(std::size_t count, Step step) {
  std::size_t i = 0;
  for (; i + most <= count; i += most) step.template operator()<most>(i);
  for (; i < count; i += least) step.template operator()<least>(i);
}

// ---- Conversions ----------------------------------------------------------------------------------
// Between float32 and the words of stored scalars (words.hpp), without branches.

struct Float32 {
  using Stored = std::int32_t;

  template <int lanes>
  static Floats<lanes> to_float(Words<lanes> word) {
    return bits_as<Floats<lanes>>(word);
  }
};

// IEEE 754 binary16. Half to float is exact; float to half rounds to nearest, ties to even. A NaN keeps as
// much of its payload as fits, so that half to float to half preserves all 65536 patterns.
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

    // Normal: rebias, add half a unit less one (0xfff - 0x38000000), add one if odd, drop 13 bits. May carry
    // to infinity. Unsigned, because the lanes of NaNs overflow.
    const auto wide = bits_as<typename VectorOf<std::uint32_t, lanes>::type>(magnitude);
    const Words<lanes> normal = bits_as<Words<lanes>>((wide - 0x37fff001 + ((wide >> 13) & 1)) >> 13);
    // Subnormal: adding 0.5 (0x3f000000) aligns the last bit with 2^-24 and rounds.
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

// Clamp x to [0, 1], NaN to 0, in two instructions on x86; the compiler needs four.
template <int lanes>
inline Floats<lanes> clamp(Floats<lanes> x) {
#if defined(__AVX512F__)
  if constexpr (lanes == 16) {
    const __m512 above = _mm512_maskz_max_ps(0xffff, bits_as<__m512>(x), _mm512_setzero_ps());
    return bits_as<Floats<16>>(_mm512_maskz_min_ps(0xffff, above, _mm512_set1_ps(1)));
  }
#endif
#if defined(__AVX2__)
  if constexpr (lanes == 8) {
    const __m256 above = _mm256_max_ps(bits_as<__m256>(x), _mm256_setzero_ps());
    return bits_as<Floats<8>>(_mm256_min_ps(above, _mm256_set1_ps(1)));
  }
#endif
#if defined(__SSE2__)
  if constexpr (lanes == 4) {
    const __m128 above = _mm_max_ps(bits_as<__m128>(x), _mm_setzero_ps());
    return bits_as<Floats<4>>(_mm_min_ps(above, _mm_set1_ps(1)));
  }
#endif
  x = x > 0.0f ? x : Floats<lanes>{};
  return x < 1.0f ? x : Floats<lanes>{} + 1.0f;
}

// Bytes that represent [0, 1]. Stores saturate, and NaN becomes 0.
struct Uint8 {
  using Stored = std::uint8_t;

  template <int lanes>
  static Floats<lanes> to_float(Words<lanes> whole) {
    return __builtin_convertvector(whole, Floats<lanes>) * (1.0f / 255);
  }

  template <int lanes>
  static Words<lanes> from_float(Floats<lanes> x) {
    return with_exponent<lanes>(x) - 0x4b000000;
  }

  // The byte, with 0x4b0000 above it.
  template <int lanes>
  static Words<lanes> with_exponent(Floats<lanes> x) {
    // 2^23 (0x4b000000) leaves no bits for a fraction: the addition rounds to nearest even.
    return bits_as<Words<lanes>>(clamp<lanes>(x) * 255.0f + 0x1p23f);
  }
};

}  // namespace sortlast::SORTLAST_TARGET
