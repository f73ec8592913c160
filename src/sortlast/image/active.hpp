// Active pixels: which pixels of a stretch hold anything, as runs; and stretches stored without the rest.
//
// The empty pixel has all bits of its colour 0 and, if the format has a depth, depth +infinity: what a
// renderer leaves where it drew nothing. Leaving empty pixels out is lossless for every operator, since a
// stretch without them says exactly what the dense one says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "sortlast/image.hpp"

namespace sortlast {

// Active pixels [begin, begin + count) of a stretch; they are stored from pixel `at` on of what goes with
// the runs: `at` == `begin` if the runs point into a dense image, the sum of the counts before if the
// pixels are packed.
struct ActiveRun {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::uint32_t at = 0;

  bool operator==(const ActiveRun&) const = default;
};

// Most pixels of a stretch that runs can count.
inline constexpr std::int64_t most_counted = (std::int64_t{1} << 32) - 1;

// Append the runs of active pixels among pixels [begin, end) of a dense stretch (end < 2^32), with
// `at` == `begin`. One pass at the speed of memory; gaps of a few empty pixels may be kept as active where
// that takes less room than a run.
void append_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                   std::vector<ActiveRun>& runs);

// The smallest rectangle that holds all active pixels of a row-major image; all 0 if there are none. Reads
// only what lies outside of it, from the image's edges inwards: next to nothing of a dense image.
Rectangle active_box(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height);

// Estimated share (0..1) of active pixels among pixels [begin, end), from a few samples, most_samples at
// most; 0 for no pixels. Of an image that is not in a cache a sample costs as much as a line of it.
inline constexpr std::int64_t most_samples = 256;
double sample_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                     std::int64_t samples = most_samples);
// The same of a row-major image of fewer than 2^32 pixels, and the rows among which its active pixels seem to
// lie, as a rectangle of its full width; all 0 if none was found.
struct Sample {
  double active = 0;
  Rectangle rows;
};
Sample sample_rows(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height);
// The same among the pixels of runs, which lie where `at` says.
double sample_active(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs);

// Bytes that pack() writes for these runs with colours stored as `scalar`.
std::size_t packed_bytes(const Format& format, Scalar scalar, std::span<const ActiveRun> runs);

// Write the active pixels of a dense stretch of `format` one behind the other into `out`, with their runs
// (begin counted from pixel `origin`), the colours converted to `scalar`. `out` is aligned to 64.
void pack(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs, std::int64_t origin,
          Scalar scalar, std::byte* out);

// Packed pixels taken apart without a copy: views into `data` (aligned to 64) of `bytes` bytes that pack()
// wrote for a stretch of n pixels of `format` (its scalar being that of the stored colours). Throws Error if
// they cannot be that.
struct Packed {
  ConstPixels pixels;
  std::span<const ActiveRun> runs;
};
Packed unpack(const Format& format, const std::byte* data, std::size_t bytes, std::int64_t n);

// ---- Copies of runs, which may be as short as one pixel -------------------------------------------

// Copy `pixels` pixels of `bytes` bytes each. Short runs are copied by moves of a fixed size: a call of
// memcpy costs more than they do.
template <std::size_t bytes>
inline void copy_pixels(std::byte* to, const std::byte* from, std::size_t pixels) {
  constexpr std::size_t few = 8;
  if (pixels > few) {
    std::memcpy(to, from, pixels * bytes);
    return;
  }
  for (std::size_t i = 0; i < pixels; ++i) std::memcpy(to + i * bytes, from + i * bytes, bytes);
}

// Call body with the bytes of a pixel's colour as a constant: 3, 4, 6, 8, 12 or 16.
template <class Body>
inline void with_colour_bytes(std::size_t bytes, Body body) {
  switch (bytes) {
    case 3:
      return body(std::integral_constant<std::size_t, 3>());
    case 4:
      return body(std::integral_constant<std::size_t, 4>());
    case 6:
      return body(std::integral_constant<std::size_t, 6>());
    case 8:
      return body(std::integral_constant<std::size_t, 8>());
    case 12:
      return body(std::integral_constant<std::size_t, 12>());
    default:
      return body(std::integral_constant<std::size_t, 16>());
  }
}

}  // namespace sortlast
