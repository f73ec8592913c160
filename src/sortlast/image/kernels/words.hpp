// Words: stored scalars as vectors of 32-bit words and back, in registers.
//
// GCC 12 converts between vectors of different widths lane by lane, so x86 uses its own instructions here;
// other processors leave it to the compiler. Nothing of std, as in vector.hpp.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

#if defined(__SSE2__)
// Read or write this number of bytes at an address of any alignment, to or from the lowest lanes.
inline __m128i read_16(const std::byte* from) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
}
inline __m128i read_8(const std::byte* from) {
  return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
}
inline __m128i read_4(const std::byte* from) { return _mm_cvtsi32_si128(read<std::int32_t>(from)); }
inline void write_16(std::byte* to, __m128i v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v); }
inline void write_8(std::byte* to, __m128i v) { _mm_storel_epi64(reinterpret_cast<__m128i*>(to), v); }
inline void write_4(std::byte* to, __m128i v) { write(to, _mm_cvtsi128_si32(v)); }

// Words of 0 to 65535 as eight lanes of 16 bits.
inline __m128i narrow_16(__m128i low, __m128i high) {
#if defined(__SSE4_1__)
  return _mm_packus_epi32(low, high);
#else
  const auto with_sign = [](__m128i words) { return _mm_srai_epi32(_mm_slli_epi32(words, 16), 16); };
  return _mm_packs_epi32(with_sign(low), with_sign(high));
#endif
}
#endif

// The words of `lanes` scalars at an address of any alignment.
template <class Stored, int lanes>
inline Words<lanes> read_words(const std::byte* from) {
  if constexpr (sizeof(Stored) == 4) {
    return read<Words<lanes>>(from);
#if defined(__AVX512F__)
  } else if constexpr (lanes == 16 && sizeof(Stored) == 1) {
    return bits_as<Words<16>>(_mm512_maskz_cvtepu8_epi32(0xffff, read_16(from)));
  } else if constexpr (lanes == 16) {
    return bits_as<Words<16>>(
        _mm512_maskz_cvtepu16_epi32(0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))));
#endif
#if defined(__AVX2__)
  } else if constexpr (lanes == 8 && sizeof(Stored) == 1) {
    return bits_as<Words<8>>(_mm256_cvtepu8_epi32(read_8(from)));
  } else if constexpr (lanes == 8) {
    return bits_as<Words<8>>(_mm256_cvtepu16_epi32(read_16(from)));
#endif
#if defined(__SSE2__)
  } else if constexpr (lanes == 4 && sizeof(Stored) == 1) {
    const __m128i zero = _mm_setzero_si128();
    return bits_as<Words<4>>(_mm_unpacklo_epi16(_mm_unpacklo_epi8(read_4(from), zero), zero));
  } else if constexpr (lanes == 4) {
    return bits_as<Words<4>>(_mm_unpacklo_epi16(read_8(from), _mm_setzero_si128()));
#endif
  } else {
    Words<lanes> words;
    for (int i = 0; i < lanes; ++i)
      words[i] = read<Stored>(from + static_cast<std::size_t>(i) * sizeof(Stored));
    return words;
  }
}

// Store words, each of which fits into a scalar.
template <class Stored, int lanes>
inline void write_words(std::byte* to, const Words<lanes>& words) {
  if constexpr (sizeof(Stored) == 4) {
    write(to, words);
#if defined(__AVX512F__)
  } else if constexpr (lanes == 16 && sizeof(Stored) == 1) {
    write_16(to, _mm512_maskz_cvtepi32_epi8(0xffff, bits_as<__m512i>(words)));
  } else if constexpr (lanes == 16) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm512_maskz_cvtepi32_epi16(0xffff, bits_as<__m512i>(words)));
#endif
#if defined(__AVX2__)
  } else if constexpr (lanes == 8) {
    const auto all = bits_as<__m256i>(words);
    const __m128i narrow = narrow_16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    if constexpr (sizeof(Stored) == 1)
      write_8(to, _mm_packus_epi16(narrow, narrow));
    else
      write_16(to, narrow);
#endif
#if defined(__SSE2__)
  } else if constexpr (lanes == 4) {
    const __m128i narrow = narrow_16(bits_as<__m128i>(words), _mm_setzero_si128());
    if constexpr (sizeof(Stored) == 1)
      write_4(to, _mm_packus_epi16(narrow, narrow));
    else
      write_8(to, narrow);
#endif
  } else {
    for (int i = 0; i < lanes; ++i)
      write(to + static_cast<std::size_t>(i) * sizeof(Stored), static_cast<Stored>(words[i]));
  }
}

template <class Scalar>
void load(std::byte* to, const std::byte* from, std::size_t channels) {
  each_vector<1>(channels, [=]<int lanes>(std::size_t i) {
    const auto words = read_words<typename Scalar::Stored, lanes>(from + i * sizeof(typename Scalar::Stored));
    write(to + i * 4, Scalar::template to_float<lanes>(words));
  });
}

template <class Scalar>
void store(std::byte* to, const std::byte* from, std::size_t channels) {
  each_vector<1>(channels, [=]<int lanes>(std::size_t i) {
    const auto words = Scalar::template from_float<lanes>(read<Floats<lanes>>(from + i * 4));
    write_words<typename Scalar::Stored, lanes>(to + i * sizeof(typename Scalar::Stored), words);
  });
}

}  // namespace sortlast::SORTLAST_TARGET
