// Random images for the tests, in buffers of chosen misalignment.
#pragma once

#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "sortlast/image/blend.hpp"

namespace sortlast::testing {

inline constexpr Scalar all_scalars[] = {Scalar::float32, Scalar::float16, Scalar::uint8};
inline constexpr Op all_ops[] = {Op::over, Op::closest, Op::add, Op::max, Op::min};

inline bool suits(Op op, const Format& format) {
  return (op != Op::over || format.channels == 4) && (op != Op::closest || format.depth);
}

// Every format that the operator suits.
inline std::vector<Format> formats_of(Op op) {
  std::vector<Format> formats;
  for (Scalar scalar : all_scalars)
    for (int channels : {3, 4})
      for (bool depth : {false, true})
        if (suits(op, {scalar, channels, depth})) formats.push_back({scalar, channels, depth});
  return formats;
}

// An image that owns its planes, which start `shift` bytes past an aligned address.
class Image {
 public:
  Image(const Format& format, std::int64_t n, std::size_t shift = 0)
      : format_(format),
        shift_(shift),
        colour_(shift + static_cast<std::size_t>(n) * format.colour_bytes()),
        depth_(format.depth ? shift + static_cast<std::size_t>(n) * sizeof(float) : 0) {}

  const Format& format() const { return format_; }
  Pixels pixels(std::int64_t first = 0) {
    const auto at = static_cast<std::size_t>(first);
    std::byte* const depth = format_.depth ? depth_.data() + shift_ + at * sizeof(float) : nullptr;
    return {colour_.data() + shift_ + at * format_.colour_bytes(), reinterpret_cast<float*>(depth)};
  }
  Link link(Side side = Side::back) { return {pixels(), format_.scalar, side}; }

  // Channel c of pixel i, as a stored number or as float32.
  template <class T>
  T get(std::int64_t i, int c) const {
    T value;
    std::memcpy(&value, colour_.data() + offset(i, c), sizeof value);
    return value;
  }
  template <class T>
  void set(std::int64_t i, int c, T value) {
    std::memcpy(colour_.data() + offset(i, c), &value, sizeof value);
  }
  float depth(std::int64_t i) const {
    float value;
    std::memcpy(&value, depth_.data() + shift_ + static_cast<std::size_t>(i) * sizeof value, sizeof value);
    return value;
  }
  void set_depth(std::int64_t i, float value) {
    std::memcpy(depth_.data() + shift_ + static_cast<std::size_t>(i) * sizeof value, &value, sizeof value);
  }

  // Same bits in the same places; false if misaligned differently.
  bool operator==(const Image& other) const { return colour_ == other.colour_ && depth_ == other.depth_; }

 private:
  std::size_t offset(std::int64_t i, int c) const {
    return shift_ + static_cast<std::size_t>(i) * format_.colour_bytes() +
           static_cast<std::size_t>(c) * scalar_bytes(format_.scalar);
  }

  Format format_;
  std::size_t shift_;
  std::vector<std::byte> colour_;
  std::vector<std::byte> depth_;
};

// Mostly values in [0, 1]; a fifth of them zeros, ones, infinities, NaNs and whatever the bits give.
inline float random_value(std::mt19937& random) {
  static const float special[] = {0.0f,
                                  -0.0f,
                                  1.0f,
                                  -1.0f,
                                  1e-41f,
                                  6e-8f,
                                  65519.9f,
                                  65520.0f,
                                  std::numeric_limits<float>::max(),
                                  std::numeric_limits<float>::infinity(),
                                  -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::quiet_NaN()};
  const auto kind = random() % 10;
  if (kind == 0) return special[random() % std::size(special)];
  if (kind == 1) {
    const auto bits = static_cast<std::uint32_t>(random());
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  return std::uniform_real_distribution<float>(0.0f, 1.0f)(random);
}

inline Image random_image(const Format& format, std::int64_t n, std::mt19937& random, std::size_t shift = 0) {
  Image image(format, n, shift);
  for (std::int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < format.channels; ++c) {
      const float value = random_value(random);
      if (format.scalar == Scalar::float32) image.set(i, c, value);
      if (format.scalar == Scalar::uint8) image.set(i, c, static_cast<std::uint8_t>(random()));
      if (format.scalar == Scalar::float16 && random() % 4 == 0)
        image.set(i, c, static_cast<std::uint16_t>(random()));
      else if (format.scalar == Scalar::float16)
        image.set(i, c, static_cast<std::uint16_t>(random() % 0x3c01));  // 0 to 1
    }
    // Few distinct depths, so that many are equal.
    if (format.depth)
      image.set_depth(i, random() % 2 ? static_cast<float>(random() % 4) : random_value(random));
  }
  return image;
}

// Bytes so far from opaque that a dozen images, one behind the other, are all seen.
inline Image faint_image(const Format& format, std::int64_t n, std::mt19937& random) {
  Image image = random_image(format, n, random, 0);
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < format.channels; ++c) image.set(i, c, static_cast<std::uint8_t>(random() % 40));
  return image;
}

inline Side random_side(std::mt19937& random) { return random() % 2 ? Side::front : Side::back; }

// Runs each kernel target in turn, and goes back to the best one at the end.
template <class Body>
void for_each_target(Body body) {
  for (const std::string& target : kernel_targets()) {
    use_target(target);
    body(target);
  }
  use_target(kernel_targets().front());
}

}  // namespace sortlast::testing
