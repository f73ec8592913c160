// Short vectors of the compiler (GCC and Clang), as wide as the instruction set being compiled for.
//
// Included only by kernels.cpp, once for each instruction set, inside its own namespace. Nothing of std
// may be called here or in the files beside this one: an inline function compiled for AVX-512 could be
// the copy that the linker keeps for the whole program.
//
// Rejected: Google Highway (1.0.3, that of Debian 12). It has no vectors for plain x86-64, which is SSE2, and
// a port was not within 3 % everywhere: its time over ours, both in turns on one core of a Xeon with AVX-512,
// GCC 12, medians of 101, blocks of 1024 pixels in the cache:
//
//              over             closest RGBA     active RGBA
//              float32  uint8   float32  uint8   float32  with depth  uint8
//   x86-64-v4  0.99     0.86    1.07     0.97    0.68     0.77        0.18
//   x86-64-v3  0.98     0.74    1.20     0.97    0.91     0.99        0.52
//
// With images of 32 MiB, where memory decides, all but the last (0.8) were within the noise of 10 %. What it
// does better is to widen bytes in registers, where convert.hpp goes through a buffer, and to take a mask of
// bits from a comparison, for which vectors of the compiler have no word.
#pragma once

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

// The vector that lies at an address of any alignment.
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

// The same bits as another type.
template <class To, class From>
inline To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// Channels or pixels for which 32-bit words are kept at once: a multiple of every vector and of RGBA.
inline constexpr std::size_t batch = 256;

struct WordBuffer {
  alignas(64) std::byte words[batch * 4];
};

// Bytes of a link fetched ahead: the processor's own prefetching begins anew with each link of each block,
// which costs a chain of 8 a fifth of its speed.
inline constexpr std::size_t prefetch_bytes = 2048;

// Call step<lanes>(i) for i from 0 to count: whole vectors first, then the rest in pieces of `least`
// lanes, of which count must be a multiple.
template <int least, class Step>
inline void each_vector(std::size_t count, Step step) {
  std::size_t i = 0;
  for (; i + native_lanes <= count; i += native_lanes) step.template operator()<native_lanes>(i);
  for (; i < count; i += least) step.template operator()<least>(i);
}

}  // namespace sortlast::SORTLAST_TARGET
