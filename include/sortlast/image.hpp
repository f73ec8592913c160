// Pixel formats, blend operators, and views of pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sortlast {

// Type of one channel.
enum class Scalar : std::uint8_t { float32, float16, uint8 };

// Bytes of one channel: 4, 2, 1.
std::size_t scalar_bytes(Scalar scalar);
std::string_view scalar_name(Scalar scalar);
// Throws ArgumentError, listing the names that exist, if `name` is none of float32, float16, uint8.
Scalar scalar_from_name(std::string_view name);

// How two pixels of the same place become one; `front` is the one of the lower depth position.
//   over     front + (1 - front alpha) * back, premultiplied RGBA
//   closest  the pixel of the smaller depth; equal depths go to `front`; a NaN depth lies behind every other
//   add, max, min  channel by channel; max and min are IEEE 754-2019 maximum and minimum (NaN wins, -0 < +0)
// A depth plane beside over, add, max or min keeps the nearest depth.
enum class Op : std::uint8_t { over, closest, add, max, min };

std::string_view op_name(Op op);
Op op_from_name(std::string_view name);  // throws ArgumentError, listing the names that exist
// Whether the order of the images is without effect on the result. closest is not among them: equal
// depths are decided by depth position.
bool commutes(Op op);

// An image's pixel: `channels` (3 or 4) interleaved scalars, and a float32 depth in a plane of its own if
// `depth`.
struct Format {
  Scalar scalar = Scalar::float32;
  int channels = 4;
  bool depth = false;

  std::size_t colour_bytes() const { return scalar_bytes(scalar) * static_cast<std::size_t>(channels); }
  std::size_t pixel_bytes() const { return colour_bytes() + (depth ? sizeof(float) : 0); }
  bool operator==(const Format&) const = default;
};

std::string format_name(const Format& format);  // "RGBA float32", "RGB uint8 + depth"
// Throws ArgumentError if `op` cannot work on `format` (over needs alpha, closest needs depth).
void check_format(const Format& format, Op op);

// n pixels that somebody else owns: interleaved colour, and depth (null if the format has none).
struct ConstPixels {
  const std::byte* colour = nullptr;
  const float* depth = nullptr;
};
struct Pixels {
  std::byte* colour = nullptr;
  float* depth = nullptr;
  operator ConstPixels() const { return {colour, depth}; }
};

}  // namespace sortlast
