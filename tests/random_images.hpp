// Random images for tests: premultiplied, in any format, with the values that make trouble mixed in.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast::testing {

// One image and the memory that it lies in.
struct TestImage {
  std::vector<std::byte> colour;
  std::vector<float> depth;

  ConstPixels view() const { return {colour.data(), depth.empty() ? nullptr : depth.data()}; }
};

// n pixels of colour in [0, alpha], about a third of them empty and a few opaque or with alpha 0; depths are
// few different values, so that many are equal, and sometimes +infinity.
inline TestImage random_image(const Format& format, std::int64_t n, std::mt19937& random) {
  const auto count = static_cast<std::size_t>(n);
  const auto channels = static_cast<std::size_t>(format.channels);
  std::vector<float> values(count * channels, 0.0F);
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned kind = random() % 8;
    if (kind < 3) continue;
    const float alpha = kind == 3 ? 1.0F : unit(random);
    for (std::size_t c = 0; c < channels; ++c)
      values[i * channels + c] = c == 3 ? alpha : alpha * unit(random);
    if (kind == 4 && channels == 4) values[i * channels + 3] = 0.0F;
  }
  TestImage image;
  image.colour.resize(count * format.colour_bytes());
  const Link link{{reinterpret_cast<const std::byte*>(values.data()), nullptr}, Scalar::float32, Side::back};
  blend_reference(Op::add, format.channels, false, {&link, 1}, {image.colour.data(), nullptr}, format.scalar,
                  n);
  if (format.depth) {
    image.depth.resize(count);
    for (float& depth : image.depth) {
      const unsigned kind = random() % 8;
      depth = kind == 0 ? std::numeric_limits<float>::infinity() : static_cast<float>(kind);
    }
  }
  return image;
}

// All channels of n pixels as floats (uint8 in units of 0..255).
inline std::vector<float> channels_of(const Format& format, const std::byte* colour, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n) * static_cast<std::size_t>(format.channels));
  const Link link{{colour, nullptr}, format.scalar, Side::back};
  blend_reference(Op::add, format.channels, false, {&link, 1},
                  {reinterpret_cast<std::byte*>(values.data()), nullptr}, Scalar::float32, n);
  if (format.scalar == Scalar::uint8) {
    for (float& value : values) value = std::round(value * 255.0F);
  }
  return values;
}

// Largest difference a channel of a composite of p images may have from the oracle, by float association
// or, for what is rounded, in its own units. `direct`: the algorithm rounds only once.
inline float tolerance(const Format& format, Op op, std::int64_t p, bool direct) {
  if (op == Op::closest || op == Op::max || op == Op::min) return 0;
  if (format.scalar == Scalar::uint8) return direct ? 1 : 2;
  const auto scale = op == Op::add ? static_cast<float>(p) : 1.0F;
  if (format.scalar == Scalar::float16) return scale * static_cast<float>(p) / 1024;
  return scale * 1e-6F * static_cast<float>(p);
}

}  // namespace sortlast::testing
