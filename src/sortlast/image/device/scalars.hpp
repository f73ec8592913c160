// Scalars and words of the device kernels: conversions, and memory accesses of up to 16 bytes. Compiled for
// the device and for the host, as kernels.hpp.
#pragma once

#include <cstdint>

#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif
// Loops over a group must be unrolled completely, because registers have no index.
#if defined(__clang__)
#define SORTLAST_UNROLL _Pragma("unroll")
#else
#define SORTLAST_UNROLL
#endif

namespace sortlast::device_kernels {

using Index = std::int64_t;
using Word = std::uint32_t;

// Scalar types, as in Scalar. Functions have them as template parameters, or as the type of an argument.
inline constexpr int float32 = 0;
inline constexpr int float16 = 1;
inline constexpr int uint8 = 2;
template <int value>
struct Constant {
  constexpr operator int() const { return value; }
};

// Types through which memory of any type may be read.
using AnyFloat = float __attribute__((may_alias));
using AnyHalf = std::uint16_t __attribute__((may_alias));
using AnyByte = std::uint8_t __attribute__((may_alias));
using AnyWord = Word __attribute__((may_alias));
using Words2 = Word __attribute__((vector_size(8), may_alias));
using Words4 = Word __attribute__((vector_size(16), may_alias));

inline Word bits(float x) { return __builtin_bit_cast(Word, x); }
inline float from_bits(Word word) { return __builtin_bit_cast(float, word); }

inline constexpr Word infinity = 0x7f800000;

// Make all NaNs the same: processors differ in the payload and sign that they produce.
inline float one_nan(float x) { return x == x ? x : from_bits(0x7fc00000); }

// ---- Scalars --------------------------------------------------------------------------------------
// The conversions of image/kernels/vector.hpp, one value at a time.

inline float float_from_half(Word half) {
  const Word magnitude = (half & 0x7fff) << 13;
  const Word exponent = magnitude & 0x0f800000;
  Word result = magnitude + 0x38000000;
  if (exponent == 0) result = bits(from_bits(magnitude + 0x38800000) - 0x1p-14f);
  if (exponent == 0x0f800000) result = magnitude | infinity;
  return from_bits(result | ((half & 0x8000) << 16));
}

inline Word half_from_float(float x) {
  const Word magnitude = bits(x) & 0x7fffffff;
  const Word payload = (magnitude >> 13) & 0x3ff;
  Word result = (magnitude - 0x37fff001 + ((magnitude >> 13) & 1)) >> 13;
  if (magnitude < 0x38800000) result = bits(from_bits(magnitude) + 0.5f) - 0x3f000000;
  if (magnitude >= 0x47800000) result = 0x7c00;
  if (magnitude > infinity) result = (payload == 0 ? 0x200 : payload) | 0x7c00;
  return result | ((bits(x) >> 16) & 0x8000);
}

// 2^23 (0x4b000000) leaves no bits for a fraction: a byte becomes a float without a conversion, which devices
// execute at a fraction of the rate, and an addition rounds to nearest even.
inline float float_from_byte(Word byte) { return (from_bits(0x4b000000 | byte) - 0x1p23f) * (1.0f / 255); }

inline Word byte_from_float(float x) {
  x = x > 0.0f ? x : 0.0f;
  x = x < 1.0f ? x : 1.0f;
  return bits(x * 255.0f + 0x1p23f) & 0xff;
}

constexpr int scalar_bytes(int scalar) { return 4 >> scalar; }

template <int scalar>
float to_float(Word stored) {
  if constexpr (scalar == float32) return from_bits(stored);
  return scalar == float16 ? float_from_half(stored) : float_from_byte(stored);
}

template <int scalar>
Word from_float(float x) {
  if constexpr (scalar == float32) return bits(x);
  return scalar == float16 ? half_from_float(x) : byte_from_float(x);
}

// The bits of one scalar in memory.
template <int scalar>
Word load_one(const void* plane, Index at) {
  if constexpr (scalar == float32) return static_cast<const AnyWord*>(plane)[at];
  if constexpr (scalar == float16) return static_cast<const AnyHalf*>(plane)[at];
  return static_cast<const AnyByte*>(plane)[at];
}

template <int scalar>
void store_one(void* plane, Index at, Word stored) {
  if constexpr (scalar == float32) static_cast<AnyWord*>(plane)[at] = stored;
  if constexpr (scalar == float16) static_cast<AnyHalf*>(plane)[at] = static_cast<std::uint16_t>(stored);
  if constexpr (scalar == uint8) static_cast<AnyByte*>(plane)[at] = static_cast<std::uint8_t>(stored);
}

// ---- Groups of scalars ----------------------------------------------------------------------------
// A group of 16 scalars holds only bytes, one of 8 also halves, and smaller ones also floats. Its bits are
// kept in words, the first scalar lowest.

template <int n>
inline constexpr int group_words = n > 4 ? 4 : n;

// Call body(Constant) for a scalar that may occur in a group of n, or only float32.
template <int n, bool floats = false, class Body>
void with_scalar(int scalar, Body body) {
  if constexpr (floats) return body(Constant<float32>{});
  if constexpr (n <= 4) {
    if (scalar == float32) return body(Constant<float32>{});
  }
  if constexpr (n <= 8) {
    if (scalar == float16) return body(Constant<float16>{});
  }
  if constexpr (!floats) body(Constant<uint8>{});
}

template <int scalar, int size>
Word scalar_of(const Word (&words)[size], int i) {
  constexpr int per_word = 4 / scalar_bytes(scalar);
  constexpr Word mask = ~Word{0} >> (32 - 32 / per_word);
  return (words[i / per_word] >> (i % per_word * (32 / per_word))) & mask;
}

template <int scalar, int size>
void put_scalar(Word (&words)[size], int i, Word stored) {
  constexpr int per_word = 4 / scalar_bytes(scalar);
  if (i % per_word == 0) words[i / per_word] = 0;
  words[i / per_word] |= stored << (i % per_word * (32 / per_word));
}

// The first `n` words, at an address that is a multiple of 16 bytes, or of all of them if they are fewer.
template <int n, int size>
void load_words(const void* from, Word (&words)[size]) {
  if constexpr (n == 1) words[0] = *static_cast<const AnyWord*>(from);
  if constexpr (n == 2) {
    const Words2 pair = *static_cast<const Words2*>(from);
    SORTLAST_UNROLL for (int i = 0; i < 2; ++i) words[i] = pair[i];
  }
  if constexpr (n == 4) {
    const Words4 four = *static_cast<const Words4*>(from);
    SORTLAST_UNROLL for (int i = 0; i < 4; ++i) words[i] = four[i];
  }
}

template <int n, int size>
void store_words(void* to, const Word (&words)[size]) {
  if constexpr (n == 1) *static_cast<AnyWord*>(to) = words[0];
  if constexpr (n == 2) *static_cast<Words2*>(to) = Words2{words[0], words[1]};
  if constexpr (n == 4) *static_cast<Words4*>(to) = Words4{words[0], words[1], words[2], words[3]};
}

}  // namespace sortlast::device_kernels

#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif
