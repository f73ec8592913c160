// Sizes, views and buffers of pixels.
#include "sortlast/image.hpp"

#include <limits>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

void check_size(Size size, const Format& format) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  const auto bytes = static_cast<std::int64_t>(format.pixel_bytes());
  const bool counts =
      size.width >= 0 && size.height >= 0 && (size.height == 0 || size.width <= most / bytes / size.height);
  if (counts) return;
  throw ArgumentError("image size is " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                      "; expected extents of 0 or more, and less than 2^61 bytes");
}

PixelBuffer::PixelBuffer(Memory memory, const Format& format, std::int64_t n) : memory_(std::move(memory)) {
  view_.colour = memory_.get();
  if (format.depth && memory_)
    view_.depth = reinterpret_cast<float*>(memory_.get() + bytes({format.scalar, format.channels}, n));
}

// Depths start at a cache line behind the colours.
std::size_t PixelBuffer::bytes(const Format& format, std::int64_t n) {
  const auto count = static_cast<std::size_t>(n);
  const std::size_t colour = (count * format.colour_bytes() + 63) / 64 * 64;
  return colour + (format.depth ? count * sizeof(float) : 0);
}

void detail::check_spans(std::size_t scalars, std::size_t depths, Size size, const Format& format) {
  check_size(size, format);
  const auto n = static_cast<std::size_t>(size.pixels());
  if (scalars != n * static_cast<std::size_t>(format.channels))
    throw ArgumentError("the colours are " + std::to_string(scalars) + " scalars; expected " +
                        std::to_string(n) + " pixels of " + std::to_string(format.channels) + " channels");
  if (depths != 0 && depths != n)
    throw ArgumentError("the depths are " + std::to_string(depths) + "; expected one for each of " +
                        std::to_string(n) + " pixels, or none");
}

void detail::check_scalar(Scalar asked, const Format& format) {
  if (asked == format.scalar) return;
  throw ArgumentError("the colours are " + std::string(scalar_name(format.scalar)) +
                      " and were asked for as " + std::string(scalar_name(asked)));
}

ConstPixels advance(ConstPixels view, const Format& format, std::int64_t pixels) {
  if (view.colour != nullptr) view.colour += static_cast<std::size_t>(pixels) * format.colour_bytes();
  if (view.depth != nullptr) view.depth += pixels;
  return view;
}

Pixels advance(Pixels view, const Format& format, std::int64_t pixels) {
  if (view.colour != nullptr) view.colour += static_cast<std::size_t>(pixels) * format.colour_bytes();
  if (view.depth != nullptr) view.depth += pixels;
  return view;
}

}  // namespace sortlast
