// Operations on one image with the kernels of blending: neutral pixels, a background behind everything, and
// straight alpha.
#include "sortlast/image/blend.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/kernels/dispatch.hpp"

namespace sortlast {

// ---- Uniform pixels -------------------------------------------------------------------------------

namespace {

constexpr std::int64_t block_pixels = 256;
constexpr float infinity = std::numeric_limits<float>::infinity();

// A block of equal float32 pixels at depth +infinity.
struct UniformBlock {
  std::array<float, block_pixels * 4> colour;
  std::array<float, block_pixels> depth;

  explicit UniformBlock(std::span<const float> pixel) {
    for (std::size_t i = 0; i < block_pixels * pixel.size(); ++i) colour[i] = pixel[i % pixel.size()];
    depth.fill(infinity);
  }

  Link link(Side side) const {
    return {{reinterpret_cast<const std::byte*>(colour.data()), depth.data()}, Scalar::float32, side};
  }
};

// Stores saturate: for uint8, the infinities become 0 and the maximum value.
float identity(Op op) {
  switch (op) {
    case Op::add:
      return -0.0f;
    case Op::max:
      return -infinity;
    case Op::min:
      return infinity;
    case Op::over:
    case Op::closest:
      break;
  }
  return 0.0f;
}

template <class Visit>
void each_block(const Format& format, Pixels out, std::int64_t n, Visit visit) {
  for (std::int64_t begin = 0; begin < n; begin += block_pixels) {
    const Pixels block{out.colour + static_cast<std::size_t>(begin) * format.colour_bytes(),
                       format.depth ? out.depth + begin : nullptr};
    visit(block, std::min(block_pixels, n - begin));
  }
}

}  // namespace

void fill_identity(Op op, const Format& format, Pixels out, std::int64_t n) {
  check_format(format, op);
  std::array<float, 4> pixel;
  pixel.fill(identity(op));
  const UniformBlock uniform({pixel.data(), static_cast<std::size_t>(format.channels)});

  const std::array chain{uniform.link(Side::back)};
  each_block(format, out, n, [&](Pixels block, std::int64_t pixels) {
    blend(op, format.channels, format.depth, chain, block, format.scalar, pixels);
  });
}

void fill_absent(Op op, const Format& format, bool background, Pixels out, std::int64_t n) {
  if (background) {
    fill_identity(op, format, out, n);
    return;
  }
  check_format(format, op);
  std::fill_n(out.colour, static_cast<std::size_t>(n) * format.colour_bytes(), std::byte{0});
  if (format.depth) std::fill_n(out.depth, n, infinity);
}

// A selection keeps the scalar type of the image, so the colour is rounded once, here.
Background::Background(Op op, const Format& format, std::span<const float> colour, float depth)
    : op_(op), format_(format), scalar_(accumulator_scalar(format.scalar, op)), depth_(at_once, depth) {
  check_format(format, op);
  if (colour.size() != static_cast<std::size_t>(format.channels))
    throw ArgumentError("the background has " + std::to_string(colour.size()) + " values; " +
                        format_name(format) + " needs " + std::to_string(format.channels));
  const Format stored{scalar_, format.channels};
  colour_.resize(static_cast<std::size_t>(at_once) * stored.colour_bytes());
  const UniformBlock uniform(colour);
  each_block(stored, {colour_.data(), nullptr}, at_once, [&](Pixels block, std::int64_t pixels) {
    const std::array chain{uniform.link(Side::back)};
    blend(Op::add, stored.channels, false, chain, block, scalar_, pixels);
  });
  alone_.resize(static_cast<std::size_t>(at_once) * format.colour_bytes());
  alone_depth_.resize(static_cast<std::size_t>(at_once));
  fill_absent(op, format, false, {alone_.data(), alone_depth_.data()}, at_once);
  apply({alone_.data(), alone_depth_.data()}, at_once);
}

void Background::apply(Pixels out, std::int64_t n) const {
  if (op_ == Op::closest) {
    cover_far(out, n);
    return;
  }
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    const Pixels block = advance(out, format_, begin);
    const std::array chain{Link{block, format_.scalar, Side::back},
                           Link{{colour_.data(), nullptr}, scalar_, Side::back}};
    blend(op_, format_.channels, false, chain, block, format_.scalar, std::min(at_once, n - begin));
  }
}

// Equal depths go to the front, so closest takes the background from there. Rows of nearer pixels, which are
// the majority in many frames, are skipped.
void Background::cover_far(Pixels out, std::int64_t n) const {
  const auto* const colour = colour_.data();
  const auto* const depth = reinterpret_cast<const std::byte*>(depth_.data());
  const Kernels& kernels = active_kernels();
  const Kernels::Closest in_front =
      kernels.closest[1][static_cast<std::size_t>(format_.scalar)][format_.channels - 3];
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    const auto rest = static_cast<std::size_t>(n - begin);
    begin += static_cast<std::int64_t>(
        kernels.nearer(reinterpret_cast<const std::byte*>(out.depth + begin), depth_.front(), rest));
    if (begin == n) return;
    const Pixels block = advance(out, format_, begin);
    auto* const to_depth = reinterpret_cast<std::byte*>(block.depth);
    in_front(block.colour, to_depth, block.colour, to_depth, colour, depth,
             static_cast<std::size_t>(std::min(at_once, n - begin)));
  }
}

void apply_background(Op op, const Format& format, std::span<const float> background, Pixels out,
                      std::int64_t n) {
  Background(op, format, background).apply(out, n);
}

// ---- Straight alpha -------------------------------------------------------------------------------
// Blocks of pixels are converted to float32 by the kernels of blending (a chain of one link converts),
// multiplied, and rounded back in the same way, so that the library has only one conversion.

namespace {

constexpr int channels = 4;

struct Block {
  alignas(64) std::array<float, block_pixels * channels> values;

  Pixels view() { return {reinterpret_cast<std::byte*>(values.data()), nullptr}; }
};

void check_alpha(const Format& format) {
  if (format.channels == channels) return;
  throw ArgumentError("the image is " + format_name(format) +
                      " and has no alpha to be multiplied by; pass RGBA, or say that it is premultiplied");
}

// Pixels as float32; uint8 becomes value / 255.
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
  for (std::int64_t begin = 0; begin < n; begin += block_pixels) {
    const std::int64_t count = std::min(block_pixels, n - begin);
    load(format, advance(straight, format, begin), count, values);
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * channels; i += channels)
      for (std::size_t channel = 0; channel < 3; ++channel)
        values.values[i + channel] *= values.values[i + channels - 1];
    store(format, values, count, advance(out, format, begin));
  }
  if (format.depth && out.depth != straight.depth && n > 0)
    std::memmove(out.depth, straight.depth, static_cast<std::size_t>(n) * sizeof(float));
}

}  // namespace sortlast
