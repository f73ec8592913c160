// Active pixels: finds the pixels of a stretch that hold anything, as runs; and stores stretches without the
// other pixels.
//
// All bits of an empty pixel's colour are 0 and its depth, if the format has one, is +infinity, as a renderer
// leaves a pixel where it drew nothing. Leaving out empty pixels is lossless for every operator, because the
// dense stretch can be restored from the rest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "sortlast/image.hpp"

namespace sortlast {

// Active pixels [begin, begin + count) of a stretch. Their data starts at pixel `at` of the image that the
// runs refer to: `at` == `begin` if it is dense, the sum of the previous counts if it is packed.
struct ActiveRun {
  std::uint32_t begin = 0;
  std::uint32_t count = 0;
  std::uint32_t at = 0;

  bool operator==(const ActiveRun&) const = default;
};

// Maximum number of pixels in a stretch, limited by the types of ActiveRun.
inline constexpr std::int64_t most_counted = (std::int64_t{1} << 32) - 1;

// Append the runs of active pixels among pixels [begin, end) of a dense stretch (end < 2^32), with `at` ==
// `begin`. One pass at memory speed. Gaps of a few empty pixels may be kept as active if that takes less
// space than a run.
void append_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                   std::vector<ActiveRun>& runs);

// The smallest rectangle that holds all active pixels of a row-major image; all 0 if there are none. Reads
// only pixels outside the rectangle, from the image's edges inwards: almost nothing of a dense image.
Rectangle active_box(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height);

// Estimate the share (0..1) of active pixels among pixels [begin, end) from a few samples, at most
// most_samples; 0 for no pixels. A few dozen samples suffice if all are active, or none. If the image is not
// cached, each sample costs one cache line.
inline constexpr std::int64_t most_samples = 256;
double sample_active(const Format& format, ConstPixels pixels, std::int64_t begin, std::int64_t end,
                     std::int64_t samples = most_samples);
// Same for a row-major image of fewer than 2^32 pixels. `rows` estimates the rows that contain its active
// pixels, as a rectangle of the image's width; all 0 if no sample was active.
struct Sample {
  double active = 0;
  Rectangle rows;
};
Sample sample_rows(const Format& format, ConstPixels pixels, std::int64_t width, std::int64_t height);
// Same for the pixels of runs, which are stored at `at`.
double sample_active(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs);

// Number of bytes that pack() writes for these runs with colours stored as `scalar`.
std::size_t packed_bytes(const Format& format, Scalar scalar, std::span<const ActiveRun> runs);

// Pack the active pixels of a dense stretch of `format` into `out`, with their runs (`begin` counted from
// pixel `origin`) and the colours converted to `scalar`. `out` is aligned to 64 bytes.
void pack(const Format& format, ConstPixels pixels, std::span<const ActiveRun> runs, std::int64_t origin,
          Scalar scalar, std::byte* out);

// View packed pixels without a copy. The views refer to `data` (aligned to 64 bytes), `bytes` bytes that
// pack() wrote for a stretch of n pixels of `format`, with the scalar of the stored colours. Throws Error if
// the data is inconsistent with this.
struct Packed {
  ConstPixels pixels;
  std::span<const ActiveRun> runs;
};
Packed unpack(const Format& format, const std::byte* data, std::size_t bytes, std::int64_t n);

// ---- Copies of runs, which may be as short as one pixel -------------------------------------------

// Copy `pixels` pixels of `bytes` bytes each. Short runs are copied by moves of a fixed size, which cost less
// than a call of memcpy.
template <std::size_t bytes>
inline void copy_pixels(std::byte* to, const std::byte* from, std::size_t pixels) {
  constexpr std::size_t few = 8;
  if (pixels > few) {
    std::memcpy(to, from, pixels * bytes);
    return;
  }
  for (std::size_t i = 0; i < pixels; ++i) std::memcpy(to + i * bytes, from + i * bytes, bytes);
}

// Call `body` with the number of bytes of a pixel's colour as a constant: 3, 4, 6, 8, 12 or 16.
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
