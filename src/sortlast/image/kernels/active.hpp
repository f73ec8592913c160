// Which pixels hold anything: the scan for active pixels.
#pragma once

#include "sortlast/image/kernels/vector.hpp"

namespace sortlast::SORTLAST_TARGET {

// 1 for each of `count` pixels of `words` words of colour that is not the empty one, else 0.
template <class Word, int words, bool has_depth>
inline void flag_active(std::uint8_t* flags, const std::byte* colour, const std::byte* depth,
                        std::size_t count) {
  constexpr std::int32_t infinity = 0x7f800000;
  for (std::size_t i = 0; i < count; ++i) {
    Word any = 0;
    for (std::size_t w = 0; w < words; ++w)
      any = static_cast<Word>(any | read<Word>(colour + (i * words + w) * sizeof(Word)));
    flags[i] = any != 0;
    if constexpr (has_depth) flags[i] |= read<std::int32_t>(depth + i * 4) != infinity;
  }
}

// Eight flags as the lowest bits. The multiplication brings flag k, at bit 8 k, to bit 56 + k.
inline std::uint64_t bits_of(const std::uint8_t* flags) {
  std::uint64_t bytes = 0;
  for (int k = 0; k < 8; ++k) bytes |= static_cast<std::uint64_t>(flags[k]) << (8 * k);
  return bytes * 0x0102040810204080 >> 56;
}

template <class Word, int words, bool has_depth>
void active(std::uint64_t* masks, const std::byte* colour, const std::byte* depth, std::size_t pixels) {
  constexpr std::size_t width = 64;
  constexpr std::size_t pixel_bytes = sizeof(Word) * words;
  for (std::size_t begin = 0; begin < pixels; begin += width) {
    alignas(64) std::uint8_t flags[width];
    const std::byte* const colours = colour + begin * pixel_bytes;
    const std::byte* const depths = has_depth ? depth + begin * 4 : nullptr;
    if (pixels - begin >= width) {
      flag_active<Word, words, has_depth>(flags, colours, depths, width);
    } else {
      __builtin_memset(flags, 0, width);
      flag_active<Word, words, has_depth>(flags, colours, depths, pixels - begin);
    }
    std::uint64_t mask = 0;
    for (std::size_t k = 0; k < width; k += 8) mask |= bits_of(flags + k) << k;
    masks[begin / width] = mask;
  }
}

// How many blocks of 64 pixels are empty before the first that is not, from the front or from the back.
// At the speed of memory: what is fetched ahead lies in the pages that come next.
template <bool has_depth, bool from_back>
std::size_t empty_blocks(const std::byte* colour, const std::byte* depth, std::size_t pixel_bytes,
                         std::size_t blocks) {
  using Line = Words<native_lanes>;
  constexpr std::size_t width = 64;
  constexpr std::ptrdiff_t ahead = from_back ? -4096 : 4096;
  const std::size_t bytes = width * pixel_bytes;
  for (std::size_t done = 0; done < blocks; ++done) {
    const std::size_t block = from_back ? blocks - 1 - done : done;
    const std::byte* const colours = colour + block * bytes;
    Line any{};
    for (std::size_t i = 0; i < bytes; i += sizeof any) {
      __builtin_prefetch(colours + i + ahead);
      any |= read<Line>(colours + i);
    }
    if constexpr (has_depth) {
      const Line infinity = Line{} + 0x7f800000;
      for (std::size_t i = 0; i < width * 4; i += sizeof any)
        any |= read<Line>(depth + block * width * 4 + i) ^ infinity;
    }
    std::int32_t found = 0;
    for (int lane = 0; lane < native_lanes; ++lane) found |= any[lane];
    if (found != 0) return done;
  }
  return blocks;
}

}  // namespace sortlast::SORTLAST_TARGET
