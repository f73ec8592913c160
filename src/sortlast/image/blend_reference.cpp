// Blending with the plainest possible loop: one pixel, one link, one channel at a time.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

template <class T>
T read(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void write(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

std::uint32_t bits(float x) {
  std::uint32_t word;
  std::memcpy(&word, &x, sizeof word);
  return word;
}

float from_bits(std::uint32_t word) {
  float x;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

float float_from_half(std::uint16_t half) {
  const int exponent = (half >> 10) & 31;
  const int mantissa = half & 0x3ff;
  const std::uint32_t sign = (half & 0x8000u) << 16;
  if (exponent == 31) return from_bits(sign | 0x7f800000u | static_cast<std::uint32_t>(mantissa) << 13);
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                        : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return std::copysign(magnitude, from_bits(sign));
}

std::uint16_t half_from_float(float x) {
  const unsigned sign = (bits(x) >> 16) & 0x8000u;
  if (std::isnan(x)) {
    const unsigned payload = (bits(x) >> 13) & 0x3ffu;
    return static_cast<std::uint16_t>(sign | 0x7c00u | (payload == 0 ? 0x200u : payload));
  }
  const float magnitude = std::fabs(x);
  if (magnitude >= 65520.0f) return static_cast<std::uint16_t>(sign | 0x7c00u);

  // Round to a whole number of units in the last place; 2048 units carry into the next exponent.
  const int exponent = magnitude < 0x1p-14f ? -14 : std::ilogb(magnitude);
  const unsigned units = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
  const unsigned biased = units < 1024 ? 0u : static_cast<unsigned>(exponent + 14) << 10;
  return static_cast<std::uint16_t>(sign | (biased + units));
}

float float_from_byte(std::uint8_t value) { return static_cast<float>(value) * (1.0f / 255); }

std::uint8_t byte_from_float(float x) {
  if (!(x > 0.0f)) return 0;
  return static_cast<std::uint8_t>(std::nearbyint(std::fmin(x, 1.0f) * 255.0f));
}

float load(const std::byte* from, Scalar scalar) {
  switch (scalar) {
    case Scalar::float32:
      return read<float>(from);
    case Scalar::float16:
      return float_from_half(read<std::uint16_t>(from));
    case Scalar::uint8:
      break;
  }
  return float_from_byte(read<std::uint8_t>(from));
}

void store(std::byte* to, Scalar scalar, float x) {
  switch (scalar) {
    case Scalar::float32:
      return write(to, x);
    case Scalar::float16:
      return write(to, half_from_float(x));
    case Scalar::uint8:
      return write(to, byte_from_float(x));
  }
}

struct Pixel {
  float channel[4] = {};
  float depth = 0.0f;
};

float one_nan(float x) { return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x; }

float maximum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

float minimum(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

bool nearer(float depth, float than) { return !std::isnan(depth) && (std::isnan(than) || depth < than); }

Pixel combine(Op op, int channels, bool has_depth, const Pixel& front, const Pixel& back) {
  const bool back_is_seen = has_depth && nearer(back.depth, front.depth);
  Pixel result = back_is_seen ? back : front;
  for (int c = 0; c < channels; ++c) {
    const float f = front.channel[c];
    const float b = back.channel[c];
    if (op == Op::over) result.channel[c] = one_nan(f + (1.0f - front.channel[3]) * b);
    if (op == Op::add) result.channel[c] = one_nan(f + b);
    if (op == Op::max) result.channel[c] = maximum(f, b);
    if (op == Op::min) result.channel[c] = minimum(f, b);
  }
  return result;
}

// Index at which a link stores pixel i of the call; -1 if that pixel is empty.
std::int64_t stored_at(const Link& link, std::int64_t i) {
  if (!link.sparse) return i;
  const std::int64_t pixel = link.first + i;
  const auto next = std::upper_bound(link.runs.begin(), link.runs.end(), pixel,
                                     [](std::int64_t p, const ActiveRun& run) { return p < run.begin; });
  if (next == link.runs.begin()) return -1;
  const ActiveRun& run = *std::prev(next);
  return pixel - run.begin < run.count ? run.at + (pixel - run.begin) : -1;
}

}  // namespace

void blend_reference(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out,
                     Scalar out_scalar, std::int64_t n) {
  check_chain(op, channels, depth, chain, out, out_scalar, n);

  const auto channel_at = [&](const std::byte* colour, Scalar scalar, std::int64_t i, int c) {
    return colour + static_cast<std::size_t>(i * channels + c) * scalar_bytes(scalar);
  };
  const auto depth_at = [](const float* plane, std::int64_t i) {
    return reinterpret_cast<const std::byte*>(plane) + static_cast<std::size_t>(i) * sizeof(float);
  };

  for (std::int64_t i = 0; i < n; ++i) {
    Pixel gathered;
    for (std::size_t k = 0; k < chain.size(); ++k) {
      const Link& link = chain[k];
      Pixel pixel;
      pixel.depth = std::numeric_limits<float>::infinity();
      const std::int64_t at = stored_at(link, i);
      for (int c = 0; c < channels && at >= 0; ++c)
        pixel.channel[c] = load(channel_at(link.pixels.colour, link.scalar, at, c), link.scalar);
      if (depth && at >= 0) pixel.depth = read<float>(depth_at(link.pixels.depth, at));
      if (k == 0)
        gathered = pixel;
      else
        gathered = link.side == Side::front ? combine(op, channels, depth, pixel, gathered)
                                            : combine(op, channels, depth, gathered, pixel);
    }
    for (int c = 0; c < channels; ++c)
      store(const_cast<std::byte*>(channel_at(out.colour, out_scalar, i, c)), out_scalar,
            gathered.channel[c]);
    if (depth) write(const_cast<std::byte*>(depth_at(out.depth, i)), gathered.depth);
  }
}

}  // namespace sortlast
