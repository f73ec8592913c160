#include "image.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "context.hpp"
#include "diagnostics.hpp"

namespace sortlast::icet {
namespace {

// A value in [0, 1] as a byte, rounded down as in ICET_TRUE_BACKGROUND_COLOR_WORD; NaN becomes 0.
int byte_below(float value) {
  const float limited = value > 0 ? std::min(value, 1.0F) : 0.0F;
  return static_cast<int>(255 * limited);
}

// A colour in `format`; bytes are truncated, not rounded.
using Bytes = std::array<std::byte, 4 * sizeof(float)>;
Bytes bytes_of(const Format& format, const float* colour) {
  Bytes result = {};
  for (std::size_t i = 0; i < static_cast<std::size_t>(format.channels); ++i) {
    if (format.scalar == Scalar::uint8) {
      result[i] = static_cast<std::byte>(byte_below(colour[i]));
    } else {
      std::memcpy(&result[i * sizeof(float)], &colour[i], sizeof(float));
    }
  }
  return result;
}

template <std::size_t bytes>
void clear(Pixels pixels, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (pixels.depth[i] < 1) continue;
    std::memset(pixels.colour + static_cast<std::size_t>(i) * bytes, 0, bytes);
    pixels.depth[i] = std::numeric_limits<float>::infinity();
  }
}

}  // namespace

Format format_of(IceTEnum colour_format, IceTEnum depth_format) {
  Format format;
  format.depth = depth_format == ICET_IMAGE_DEPTH_FLOAT;
  format.scalar = colour_format == ICET_IMAGE_COLOR_RGBA_FLOAT || colour_format == ICET_IMAGE_COLOR_RGB_FLOAT
                      ? Scalar::float32
                      : Scalar::uint8;
  format.channels =
      colour_format == ICET_IMAGE_COLOR_RGB_FLOAT || colour_format == ICET_IMAGE_COLOR_NONE ? 3 : 4;
  return format;
}

void copy_region(const Image& from, const Region& region, Image& to, std::int64_t to_x, std::int64_t to_y) {
  const Format format = format_of(from.colour_format, from.depth_format);
  const bool colours = from.colour_format != ICET_IMAGE_COLOR_NONE;
  for (std::int64_t y = 0; y < region.height; ++y) {
    const ConstPixels source =
        advance(ConstPixels(from.pixels.view()), format, (region.y + y) * from.size.width + region.x);
    const Pixels target = advance(to.pixels.view(), format, (to_y + y) * to.size.width + to_x);
    const auto width = static_cast<std::size_t>(region.width);
    if (colours) std::memcpy(target.colour, source.colour, width * format.colour_bytes());
    if (format.depth) std::memcpy(target.depth, source.depth, width * sizeof(float));
  }
}

void empty_background(Image& image, const Region& region) {
  const Format format = format_of(image.colour_format, image.depth_format);
  for (std::int64_t y = region.y; y < region.y + region.height; ++y) {
    const Pixels row = advance(image.pixels.view(), format, y * image.size.width + region.x);
    switch (format.colour_bytes()) {
      case 3:
        clear<3>(row, region.width);
        break;
      case 4:
        clear<4>(row, region.width);
        break;
      case 12:
        clear<12>(row, region.width);
        break;
      default:
        clear<16>(row, region.width);
    }
  }
}

void empty_outside(Image& image, const Region& region) {
  const Format format = format_of(image.colour_format, image.depth_format);
  const auto empty = [&](std::int64_t begin, std::int64_t end) {
    const Pixels pixels = advance(image.pixels.view(), format, begin);
    std::memset(pixels.colour, 0, static_cast<std::size_t>(end - begin) * format.colour_bytes());
    if (format.depth) std::fill_n(pixels.depth, end - begin, std::numeric_limits<float>::infinity());
  };
  std::int64_t begin = 0;  // start of the pixels between the previous row of the region and the next
  for (std::int64_t y = region.y; y < region.y + region.height; ++y) {
    const std::int64_t row = y * image.size.width + region.x;
    empty(begin, row);
    begin = row + region.width;
  }
  empty(begin, image.size.pixels());
}

std::vector<float> stored_colour(const Format& format, const std::array<float, 4>& colour) {
  std::vector<float> values(colour.begin(), colour.begin() + format.channels);
  for (float& value : values) {
    if (std::isnan(value)) value = 0;
    if (format.scalar == Scalar::uint8) value = static_cast<float>(byte_below(value)) / 255;
  }
  return values;
}

void fill_with(const Format& format, Pixels pixels, std::int64_t n, const std::array<float, 4>& colour) {
  const Bytes bytes = bytes_of(format, colour.data());
  for (std::int64_t i = 0; i < n; ++i)
    std::memcpy(pixels.colour + static_cast<std::size_t>(i) * format.colour_bytes(), bytes.data(),
                format.colour_bytes());
  if (format.depth) std::fill(pixels.depth, pixels.depth + n, 1.0F);
}

namespace {

// The image, which must have the requested kind of colours.
Image& with_colours(const IceTImage& face, bool bytes) {
  Image* image = existing_image(face);
  const IceTEnum format = image == nullptr ? ICET_IMAGE_COLOR_NONE : image->colour_format;
  const bool has = bytes ? format == ICET_IMAGE_COLOR_RGBA_UBYTE
                         : format == ICET_IMAGE_COLOR_RGBA_FLOAT || format == ICET_IMAGE_COLOR_RGB_FLOAT;
  if (!has) {
    throw Failure(ICET_INVALID_OPERATION, std::string("colours of ") + (bytes ? "bytes" : "floats") +
                                              " were asked of an image whose colour format is " +
                                              hexadecimal(format));
  }
  return *image;
}

Image& with_depth(const IceTImage& face) {
  Image* image = existing_image(face);
  if (image == nullptr || image->depth_format == ICET_IMAGE_DEPTH_NONE)
    throw Failure(ICET_INVALID_OPERATION, "the depth was asked of an image that has none");
  return *image;
}

Image& writable(Image& image) {
  if (!image.read_only) return image;
  throw Failure(ICET_INVALID_OPERATION,
                "the pixels were given to icetCompositeImage() and are only read; ask for const ones");
}

template <typename T, typename Find>
T* pixels_of(const Find& find) {
  try {
    return static_cast<T*>(find());
  } catch (...) {
    raise_current_exception();
    return nullptr;
  }
}

// The nearest byte, half up; NaN becomes 0.
IceTUByte byte_of(float value) {
  const float limited = std::clamp(std::isnan(value) ? 0.0F : value, 0.0F, 1.0F);
  return static_cast<IceTUByte>(std::floor(255 * limited + 0.5F));
}

// Copy n pixels of `from_channels` values to pixels of `to_channels` values. A missing alpha becomes
// `opaque`.
template <typename To, typename From, typename Convert>
void convert(const From* from, int from_channels, To* to, int to_channels, std::int64_t n, To opaque,
             const Convert& one) {
  for (std::int64_t i = 0; i < n; ++i, from += from_channels, to += to_channels) {
    for (int c = 0; c < to_channels; ++c) to[c] = c < from_channels ? one(from[c]) : opaque;
  }
}

int channels_of(IceTEnum colour_format) { return colour_format == ICET_IMAGE_COLOR_RGB_FLOAT ? 3 : 4; }

void check_target(bool is_valid, const char* call, const char* expected, IceTEnum format) {
  if (!is_valid) {
    throw Failure(ICET_INVALID_ENUM, std::string(call) + ": the format " + hexadecimal(format) +
                                         " was asked for; expected " + expected);
  }
}

void check_buffer(const Image* image, const void* buffer, const char* call) {
  if (image == nullptr || image->colour_format == ICET_IMAGE_COLOR_NONE)
    throw Failure(ICET_INVALID_OPERATION, std::string(call) + ": the image has no colours");
  if (buffer == nullptr) throw Failure(ICET_INVALID_VALUE, std::string(call) + ": the buffer is NULL");
}

}  // namespace
}  // namespace sortlast::icet

using namespace sortlast::icet;
using sortlast::Pixels;

IceTImage icetImageNull() { return {nullptr}; }
IceTBoolean icetImageIsNull(const IceTImage image) { return image.opaque_internals == nullptr; }

namespace {

// A property of an image. Returns `of_none` for the null image and, with an error, for an invalid one.
template <typename Result, typename Get>
Result property(const IceTImage& face, Result of_none, const Get& get) {
  try {
    const Image* image = existing_image(face);
    return image == nullptr ? of_none : static_cast<Result>(get(*image));
  } catch (...) {
    raise_current_exception();
    return of_none;
  }
}

}  // namespace

IceTEnum icetImageGetColorFormat(const IceTImage image) {
  return property(image, ICET_IMAGE_COLOR_NONE, [](const Image& of) { return of.colour_format; });
}
IceTEnum icetImageGetDepthFormat(const IceTImage image) {
  return property(image, ICET_IMAGE_DEPTH_NONE, [](const Image& of) { return of.depth_format; });
}
IceTSizeType icetImageGetWidth(const IceTImage image) {
  return property(image, IceTSizeType{0}, [](const Image& of) { return of.size.width; });
}
IceTSizeType icetImageGetHeight(const IceTImage image) {
  return property(image, IceTSizeType{0}, [](const Image& of) { return of.size.height; });
}
IceTSizeType icetImageGetNumPixels(const IceTImage image) {
  return property(image, IceTSizeType{0}, [](const Image& of) { return of.size.pixels(); });
}

IceTUByte* icetImageGetColorub(IceTImage image) {
  return pixels_of<IceTUByte>(
      [&]() -> void* { return writable(with_colours(image, true)).pixels.view().colour; });
}
IceTUInt* icetImageGetColorui(IceTImage image) {
  return pixels_of<IceTUInt>(
      [&]() -> void* { return writable(with_colours(image, true)).pixels.view().colour; });
}
IceTFloat* icetImageGetColorf(IceTImage image) {
  return pixels_of<IceTFloat>(
      [&]() -> void* { return writable(with_colours(image, false)).pixels.view().colour; });
}
IceTFloat* icetImageGetDepthf(IceTImage image) {
  return pixels_of<IceTFloat>([&]() -> void* { return writable(with_depth(image)).pixels.view().depth; });
}
const IceTUByte* icetImageGetColorcub(const IceTImage image) {
  return pixels_of<IceTUByte>([&]() -> void* { return with_colours(image, true).pixels.view().colour; });
}
const IceTUInt* icetImageGetColorcui(const IceTImage image) {
  return pixels_of<IceTUInt>([&]() -> void* { return with_colours(image, true).pixels.view().colour; });
}
const IceTFloat* icetImageGetColorcf(const IceTImage image) {
  return pixels_of<IceTFloat>([&]() -> void* { return with_colours(image, false).pixels.view().colour; });
}
const IceTFloat* icetImageGetDepthcf(const IceTImage image) {
  return pixels_of<IceTFloat>([&]() -> void* { return with_depth(image).pixels.view().depth; });
}

void icetImageCopyColorub(const IceTImage image, IceTUByte* color_buffer, IceTEnum color_format) {
  try {
    const Image* from = existing_image(image);
    check_target(color_format == ICET_IMAGE_COLOR_RGBA_UBYTE, "icetImageCopyColorub",
                 "ICET_IMAGE_COLOR_RGBA_UBYTE", color_format);
    check_buffer(from, color_buffer, "icetImageCopyColorub");
    const Pixels pixels = from->pixels.view();
    const std::int64_t n = from->size.pixels();
    if (from->colour_format == ICET_IMAGE_COLOR_RGBA_UBYTE) {
      std::memcpy(color_buffer, pixels.colour, static_cast<std::size_t>(n) * 4);
    } else {
      convert<IceTUByte>(reinterpret_cast<const float*>(pixels.colour), channels_of(from->colour_format),
                         color_buffer, 4, n, 255, byte_of);
    }
  } catch (...) {
    raise_current_exception();
  }
}

void icetImageCopyColorf(const IceTImage image, IceTFloat* color_buffer, IceTEnum color_format) {
  try {
    const Image* from = existing_image(image);
    check_target(color_format == ICET_IMAGE_COLOR_RGBA_FLOAT || color_format == ICET_IMAGE_COLOR_RGB_FLOAT,
                 "icetImageCopyColorf", "ICET_IMAGE_COLOR_RGBA_FLOAT or ICET_IMAGE_COLOR_RGB_FLOAT",
                 color_format);
    check_buffer(from, color_buffer, "icetImageCopyColorf");
    const Pixels pixels = from->pixels.view();
    const std::int64_t n = from->size.pixels();
    const int channels = channels_of(color_format);
    if (from->colour_format == ICET_IMAGE_COLOR_RGBA_UBYTE) {
      convert(reinterpret_cast<const IceTUByte*>(pixels.colour), 4, color_buffer, channels, n, 1.0F,
              [](IceTUByte value) { return static_cast<float>(value) / 255; });
    } else if (from->colour_format == color_format) {
      std::memcpy(color_buffer, pixels.colour,
                  static_cast<std::size_t>(n) * sizeof(float) * static_cast<std::size_t>(channels));
    } else {
      convert(reinterpret_cast<const float*>(pixels.colour), channels_of(from->colour_format), color_buffer,
              channels, n, 1.0F, [](float value) { return value; });
    }
  } catch (...) {
    raise_current_exception();
  }
}

void icetImageCopyDepthf(const IceTImage image, IceTFloat* depth_buffer, IceTEnum depth_format) {
  try {
    check_target(depth_format == ICET_IMAGE_DEPTH_FLOAT, "icetImageCopyDepthf", "ICET_IMAGE_DEPTH_FLOAT",
                 depth_format);
    const Image& from = with_depth(image);
    if (depth_buffer == nullptr) throw Failure(ICET_INVALID_VALUE, "icetImageCopyDepthf: the buffer is NULL");
    std::memcpy(depth_buffer, from.pixels.view().depth,
                static_cast<std::size_t>(from.size.pixels()) * sizeof(float));
  } catch (...) {
    raise_current_exception();
  }
}
