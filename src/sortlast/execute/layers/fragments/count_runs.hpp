// Count runs: neighbouring pixels that have as many fragments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortlast {

// The end of the pixels, from this one on, whose counts are that of the first.
inline std::size_t end_of_equal_counts(std::span<const std::uint32_t> counts, std::size_t pixel) {
  constexpr std::size_t step = 16;  // compared at once
  const std::uint32_t count = counts[pixel];
  std::size_t end = pixel + 1;
  for (; end + step <= counts.size(); end += step) {
    std::uint32_t difference = 0;
    for (std::size_t i = 0; i < step; ++i) difference |= counts[end + i] ^ count;
    if (difference != 0) break;
  }
  while (end < counts.size() && counts[end] == count) ++end;
  return end;
}

}  // namespace sortlast
