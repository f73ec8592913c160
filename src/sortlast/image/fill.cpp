// Pixels that change nothing, and pixels behind everything.
#include <algorithm>
#include <array>
#include <limits>

#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {
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

// Stored saturating: the infinities become 0 and the largest value of uint8.
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

void apply_background(Op op, const Format& format, std::span<const float> background, Pixels out,
                      std::int64_t n) {
  check_format(format, op);
  if (background.size() != static_cast<std::size_t>(format.channels))
    throw ArgumentError("the background has " + std::to_string(background.size()) + " values; " +
                        format_name(format) + " needs " + std::to_string(format.channels));
  const UniformBlock uniform(background);

  // Equal depths go to the front, so closest takes the background, at +infinity, from there.
  const bool by_depth = op == Op::closest;
  each_block(format, out, n, [&](Pixels block, std::int64_t pixels) {
    const std::array chain{Link{block, format.scalar, Side::back},
                           uniform.link(by_depth ? Side::front : Side::back)};
    blend(op, format.channels, by_depth, chain, block, format.scalar, pixels);
  });
}

}  // namespace sortlast
