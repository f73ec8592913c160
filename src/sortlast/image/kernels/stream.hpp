// Stream: copies past the caches. A line that is overwritten as a whole need not be read first, which is a
// third of what two images of a large frame cost; but who reads it next finds it in memory only.
#pragma once

#include "sortlast/image/kernels/words.hpp"

namespace sortlast::SORTLAST_TARGET {

#if defined(__SSE2__)
inline constexpr std::size_t line_bytes = 64;

inline void stream_line(std::byte* to, const std::byte* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#elif defined(__AVX2__)
  for (std::size_t i = 0; i < line_bytes; i += 32)
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
#else
  for (std::size_t i = 0; i < line_bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), read_16(from + i));
#endif
}

inline void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  const std::size_t before = (line_bytes - reinterpret_cast<std::uintptr_t>(to) % line_bytes) % line_bytes;
  std::size_t i = before < bytes ? before : bytes;
  __builtin_memcpy(to, from, i);
  for (; i + line_bytes <= bytes; i += line_bytes) stream_line(to + i, from + i);
  __builtin_memcpy(to + i, from + i, bytes - i);
}

inline void fence() { _mm_sfence(); }
#else
inline void stream(std::byte* to, const std::byte* from, std::size_t bytes) {
  __builtin_memcpy(to, from, bytes);
}

inline void fence() {}
#endif

}  // namespace sortlast::SORTLAST_TARGET
