// Straight alpha.
//
// Blocks of pixels become float32 by the kernels that blending has (a chain of one link converts), are
// multiplied or looked at there, and are rounded back in the same way, so that there is one conversion in the
// library.
#include "sortlast/image/premultiply.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

constexpr int channels = 4;
constexpr std::int64_t block = 256;  // pixels
constexpr float tolerance = 0x1p-10F;

struct Block {
  alignas(64) std::array<float, block * channels> values;

  Pixels view() { return {reinterpret_cast<std::byte*>(values.data()), nullptr}; }
};

void check_alpha(const Format& format) {
  if (format.channels == channels) return;
  throw ArgumentError("the image is " + format_name(format) +
                      " and has no alpha to be multiplied by; pass RGBA, or say that it is premultiplied");
}

// Pixels as float32, uint8 as values / 255.
void load(const Format& format, ConstPixels from, std::int64_t count, Block& to) {
  const Link link{{from.colour, nullptr}, format.scalar, Side::back};
  blend(Op::add, channels, false, {&link, 1}, to.view(), Scalar::float32, count);
}

void store(const Format& format, Block& from, std::int64_t count, Pixels to) {
  const Link link{from.view(), Scalar::float32, Side::back};
  blend(Op::add, channels, false, {&link, 1}, {to.colour, nullptr}, format.scalar, count);
}

}  // namespace

void premultiply(const Format& format, ConstPixels straight, Pixels out, std::int64_t n) {
  check_alpha(format);
  Block values;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t count = std::min(block, n - begin);
    load(format, advance(straight, format, begin), count, values);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * channels; i += channels)
      for (std::size_t channel = 0; channel < 3; ++channel)
        values.values[i + channel] *= values.values[i + channels - 1];
    store(format, values, count, advance(out, format, begin));
  }
  if (format.depth && out.depth != straight.depth && n > 0)
    std::memmove(out.depth, straight.depth, static_cast<std::size_t>(n) * sizeof(float));
}

std::optional<std::int64_t> find_straight(const Format& format, ConstPixels pixels, std::int64_t n) {
  check_alpha(format);
  const float allowed = format.scalar == Scalar::uint8 ? 0.0F : tolerance;
  Block values;
  for (std::int64_t begin = 0; begin < n; begin += block) {
    const std::int64_t count = std::min(block, n - begin);
    load(format, advance(pixels, format, begin), count, values);
    for (std::int64_t pixel = 0; pixel < count; ++pixel) {
      const std::span<const float> rgba =
          std::span(values.values).subspan(static_cast<std::size_t>(pixel) * channels, channels);
      const float most = rgba[3] + allowed * rgba[3];
      if (rgba[0] > most || rgba[1] > most || rgba[2] > most) return begin + pixel;
    }
  }
  return std::nullopt;
}

}  // namespace sortlast
