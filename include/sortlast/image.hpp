// Images: pixel formats, blend operators, views of pixels, and buffers that own pixels.
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
// Throws ArgumentError with a list of the valid names, unless `name` is float32, float16 or uint8.
SORTLAST_API Scalar scalar_from_name(std::string_view name);

// How two pixels at the same place become one; `front` is the one with the lower depth position.
//   over     front + (1 - front alpha) * back, premultiplied RGBA
//   closest  the pixel of the smaller depth; equal depths go to `front`; a NaN depth lies behind every other
//   add, max, min  channel by channel; max and min are IEEE 754-2019 maximum and minimum (NaN wins, -0 < +0)
// With a depth plane, over, add, max and min also keep the nearest depth.
enum class Op : std::uint8_t { over, closest, add, max, min };

SORTLAST_API std::string_view op_name(Op op);
SORTLAST_API Op op_from_name(std::string_view name);  // throws ArgumentError with a list of the valid names
// Whether the order of the images has no effect on the result. False for closest, which decides equal depths
// by depth position.
SORTLAST_API bool commutes(Op op);

// Layout of a pixel: `channels` (3 or 4) scalars side by side and, if `depth`, a float32 depth in a separate
// plane.
struct Format {
  Scalar scalar = Scalar::float32;
  int channels = 4;
  bool depth = false;

  std::size_t colour_bytes() const { return scalar_bytes(scalar) * static_cast<std::size_t>(channels); }
  std::size_t pixel_bytes() const { return colour_bytes() + (depth ? sizeof(float) : 0); }
  bool operator==(const Format&) const = default;
};

SORTLAST_API std::string format_name(const Format& format);  // "RGBA float32", "RGB uint8 + depth"
// Throws ArgumentError if `op` does not support `format` (over needs alpha, closest needs depth).
SORTLAST_API void check_format(const Format& format, Op op);

// Width and height of an image, in pixels.
struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t pixels() const { return width * height; }
  bool operator==(const Size&) const = default;
};

// Throws ArgumentError unless both extents are nonnegative and the number of bytes can be represented.
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

// Pixels owned by somebody else, in row-major order without gaps: colour, and depth (null if the format has
// none). They only need the alignment of their scalar type.
struct ConstPixels {
  const std::byte* colour = nullptr;
  const float* depth = nullptr;
};
struct Pixels {
  std::byte* colour = nullptr;
  float* depth = nullptr;
  operator ConstPixels() const { return {colour, depth}; }
};

// The view that starts `pixels` pixels later.
SORTLAST_API ConstPixels advance(ConstPixels view, const Format& format, std::int64_t pixels);
SORTLAST_API Pixels advance(Pixels view, const Format& format, std::int64_t pixels);

// The bits of one float16 (IEEE 754 binary16).
struct Half {
  std::uint16_t bits = 0;
};

// The scalar type of a C++ type.
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

// The memory that holds pixels: of the host, or of a GPU (CUDA).
enum class MemoryKind : std::uint8_t { host, device };

// One rank's image: size.height rows of size.width premultiplied pixels of `format`. All pixels outside
// `bounds`, if given, are empty (all bits of the colour 0, depth infinite) and need not be read.
struct ImageView {
  ConstPixels pixels = {};  // colour null: no image, see none()
  Size size = {};
  Format format = {};
  std::optional<Rectangle> bounds = {};
  MemoryKind memory = MemoryKind::host;  // that holds the pixels
  // For pixels on a device: the CUDA stream (CUstream, cudaStream_t) on which they are drawn, and on which
  // the caller uses the result; null: the default stream.
  void* stream = nullptr;

  // The view of a rank without an image: it gives the size and format of the other ranks' images.
  static ImageView none(Size size, const Format& format) { return {{}, size, format, {}}; }
  bool is_none() const { return pixels.colour == nullptr; }
};

// One of several images of a rank: the pixels of a box of the frame, with a position in depth.
struct BoxImage {
  ImageView image = {};               // as wide and high as the box; its bounds are ignored
  std::int64_t position = 0;          // in depth, lower is in front; unique over the images of all ranks
  std::optional<Rectangle> box = {};  // within the frame; none: the whole frame
};

// A view of typed pixels: size.pixels() * channels scalars, and one depth per pixel or none. Throws
// ArgumentError if the length of a span differs.
template <typename T>
ImageView image_view(std::span<const T> colour, Size size, int channels = 4,
                     std::span<const float> depth = {});

// ---- Buffers ----------------------------------------------------------------------------------------

// Memory that is released with its last copy, at any time and from any thread.
using Memory = std::shared_ptr<std::byte>;

// Pixels with shared ownership: colour, then depth if the format has it. Copies share the pixels.
class SORTLAST_API PixelBuffer {
 public:
  PixelBuffer() = default;
  // n pixels in memory of at least bytes(format, n) bytes.
  PixelBuffer(Memory memory, const Format& format, std::int64_t n, MemoryKind kind = MemoryKind::host);
  // Pixels that somebody else keeps alive while a copy of this buffer is in use.
  PixelBuffer(Pixels view, MemoryKind kind = MemoryKind::host) : view_(view), kind_(kind) {}
  // Pixels at `view`, in memory that stays alive while a copy of this buffer exists.
  PixelBuffer(Memory memory, Pixels view, MemoryKind kind = MemoryKind::host)
      : memory_(std::move(memory)), view_(view), kind_(kind) {}

  Pixels view() const { return view_; }
  MemoryKind kind() const { return kind_; }
  const Memory& memory() const { return memory_; }
  static std::size_t bytes(const Format& format, std::int64_t n);

 private:
  Memory memory_;
  Pixels view_;
  MemoryKind kind_ = MemoryKind::host;
};

// ---- Details ----------------------------------------------------------------------------------------

namespace detail {

// Throw ArgumentError unless the spans of a typed view or buffer have the required length.
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
