// Images: pixel formats, blend operators, views of pixels that somebody owns, and buffers that own them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sortlast/export.hpp"

namespace sortlast {

// ---- Formats and operators --------------------------------------------------------------------------

// Type of one channel.
enum class Scalar : std::uint8_t { float32, float16, uint8 };

// Bytes of one channel: 4, 2, 1.
SORTLAST_API std::size_t scalar_bytes(Scalar scalar);
SORTLAST_API std::string_view scalar_name(Scalar scalar);
// Throws ArgumentError, listing the names that exist, if `name` is none of float32, float16, uint8.
SORTLAST_API Scalar scalar_from_name(std::string_view name);

// How two pixels of the same place become one; `front` is the one of the lower depth position.
//   over     front + (1 - front alpha) * back, premultiplied RGBA
//   closest  the pixel of the smaller depth; equal depths go to `front`; a NaN depth lies behind every other
//   add, max, min  channel by channel; max and min are IEEE 754-2019 maximum and minimum (NaN wins, -0 < +0)
// A depth plane beside over, add, max or min keeps the nearest depth.
enum class Op : std::uint8_t { over, closest, add, max, min };

SORTLAST_API std::string_view op_name(Op op);
SORTLAST_API Op op_from_name(std::string_view name);  // throws ArgumentError, listing the names that exist
// Whether the order of the images is without effect on the result. closest is not among them: equal
// depths are decided by depth position.
SORTLAST_API bool commutes(Op op);

// An image's pixel: `channels` (3 or 4) scalars side by side, and a float32 depth in a plane of its own if
// `depth`.
struct Format {
  Scalar scalar = Scalar::float32;
  int channels = 4;
  bool depth = false;

  std::size_t colour_bytes() const { return scalar_bytes(scalar) * static_cast<std::size_t>(channels); }
  std::size_t pixel_bytes() const { return colour_bytes() + (depth ? sizeof(float) : 0); }
  bool operator==(const Format&) const = default;
};

SORTLAST_API std::string format_name(const Format& format);  // "RGBA float32", "RGB uint8 + depth"
// Throws ArgumentError if `op` cannot work on `format` (over needs alpha, closest needs depth).
SORTLAST_API void check_format(const Format& format, Op op);

// Width and height of an image, in pixels.
struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t pixels() const { return width * height; }
  bool operator==(const Size&) const = default;
};

// Throws ArgumentError unless both extents are 0 or more and the pixels' bytes can be counted.
SORTLAST_API void check_size(Size size, const Format& format);

// Half-open rectangle of pixels: columns [x0, x1) of rows [y0, y1).
struct Rectangle {
  std::int64_t x0 = 0;
  std::int64_t y0 = 0;
  std::int64_t x1 = 0;
  std::int64_t y1 = 0;

  bool operator==(const Rectangle&) const = default;
};

// ---- Views ------------------------------------------------------------------------------------------

// Pixels that somebody else owns, in row-major order without gaps: colour, and depth (null if the format has
// none). They need no alignment beyond that of their scalar.
struct ConstPixels {
  const std::byte* colour = nullptr;
  const float* depth = nullptr;
};
struct Pixels {
  std::byte* colour = nullptr;
  float* depth = nullptr;
  operator ConstPixels() const { return {colour, depth}; }
};

// Move the start of a view on by `pixels` pixels.
SORTLAST_API ConstPixels advance(ConstPixels view, const Format& format, std::int64_t pixels);
SORTLAST_API Pixels advance(Pixels view, const Format& format, std::int64_t pixels);

// The bits of one float16 (IEEE 754 binary16).
struct Half {
  std::uint16_t bits = 0;
};

// The scalar that a C++ type stands for.
template <typename T>
inline constexpr Scalar scalar_of = [] {
  static_assert(sizeof(T) == 0, "expected float, sortlast::Half or std::uint8_t");
  return Scalar::float32;
}();
template <>
inline constexpr Scalar scalar_of<float> = Scalar::float32;
template <>
inline constexpr Scalar scalar_of<Half> = Scalar::float16;
template <>
inline constexpr Scalar scalar_of<std::uint8_t> = Scalar::uint8;

// One rank's image: size.height rows of size.width premultiplied pixels of `format`. `bounds`, if known: all
// pixels outside are empty (all bits of the colour 0, depth infinite), and need not be read.
struct ImageView {
  ConstPixels pixels = {};  // colour null: no image, see none()
  Size size = {};
  Format format = {};
  std::optional<Rectangle> bounds = {};

  // The view of a rank that has no image: it gives the size and format that the others have.
  static ImageView none(Size size, const Format& format) { return {{}, size, format, {}}; }
  bool is_none() const { return pixels.colour == nullptr; }
};

// One of several images of a rank: the pixels of a box of the frame, at a place of their own in depth.
struct BoxImage {
  ImageView image = {};               // of the box's width and height; its bounds are not looked at
  std::int64_t position = 0;          // in depth, lower ones in front; no two images of all ranks share one
  std::optional<Rectangle> box = {};  // within the frame; none: all of it
};

// A view of typed pixels: size.pixels() * channels scalars, and as many depths as pixels, or none. Throws
// ArgumentError if a span is not as long as that.
template <typename T>
ImageView image_view(std::span<const T> colour, Size size, int channels = 4,
                     std::span<const float> depth = {});

// ---- Buffers ----------------------------------------------------------------------------------------

// Memory that is given back when the last copy is gone: at any time and in any thread.
using Memory = std::shared_ptr<std::byte>;

// Pixels in memory that they keep: colour, then depth if the format has it. Copies share the pixels.
class SORTLAST_API PixelBuffer {
 public:
  PixelBuffer() = default;
  // n pixels laid out in memory of bytes(format, n) bytes or more.
  PixelBuffer(Memory memory, const Format& format, std::int64_t n);
  // Pixels in memory that somebody else keeps for as long as a copy of this is in use.
  PixelBuffer(Pixels view) : view_(view) {}
  // Pixels that lie at `view` in memory that is kept for as long as a copy of this exists.
  PixelBuffer(Memory memory, Pixels view) : memory_(std::move(memory)), view_(view) {}

  Pixels view() const { return view_; }
  const Memory& memory() const { return memory_; }
  static std::size_t bytes(const Format& format, std::int64_t n);

 private:
  Memory memory_;
  Pixels view_;
};

// ---- Details ----------------------------------------------------------------------------------------

namespace detail {

// Throw ArgumentError unless the spans of a typed view or buffer are as long as they must be.
SORTLAST_API void check_spans(std::size_t scalars, std::size_t depths, Size size, const Format& format);
SORTLAST_API void check_scalar(Scalar asked, const Format& format);

// The scalars of n pixels, as T. Throws ArgumentError if they are of another type.
template <typename T, typename Bytes>
std::span<T> scalars_of(Bytes* colour, const Format& format, std::int64_t n) {
  check_scalar(scalar_of<std::remove_const_t<T>>, format);
  return {reinterpret_cast<T*>(colour),
          static_cast<std::size_t>(n) * static_cast<std::size_t>(format.channels)};
}

}  // namespace detail

template <typename T>
ImageView image_view(std::span<const T> colour, Size size, int channels, std::span<const float> depth) {
  const Format format{scalar_of<T>, channels, !depth.empty()};
  detail::check_spans(colour.size(), depth.size(), size, format);
  return {{reinterpret_cast<const std::byte*>(colour.data()), depth.empty() ? nullptr : depth.data()},
          size,
          format,
          {}};
}

}  // namespace sortlast
