// Scenes for tests of executors: a random image a rank, every operator and format, and the comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "random_images.hpp"
#include "sanitized.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::testing {

struct Case {
  Format format;
  Op op;
};

// Every operator on every format that it works on.
// With sanitizers one in five, with all operators and scalars among them.
inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Scalar scalar : {Scalar::float32, Scalar::float16, Scalar::uint8}) {
    for (const int channels : {3, 4}) {
      for (const bool depth : {false, true}) {
        for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min}) {
          if ((op == Op::over && channels == 3) || (op == Op::closest && !depth)) continue;
          all.push_back({{scalar, channels, depth}, op});
        }
      }
    }
  }
  if (!sanitized) return all;
  std::vector<Case> some;
  for (std::size_t each = 3; each < all.size(); each += 5) some.push_back(all[each]);
  return some;
}

// 0..p-1 in random order.
inline std::vector<std::int32_t> shuffled(std::int32_t p, std::mt19937& random) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(p));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

// Every algorithm, and the variants whose merges are others.
inline std::vector<std::string> algorithm_names() {
  std::vector<std::string> names{"direct-send:pairs"};
  for (const AlgorithmEntry& entry : algorithms()) names.push_back(entry.name);
  return names;
}

// One random image a rank, and the comparisons that composites of them must pass.
class Scene {
 public:
  Scene(std::int32_t p, const Format& format, Size size, std::mt19937& random, bool with_empty)
      : size_(size), format_(format) {
    for (std::int32_t rank = 0; rank < p; ++rank)
      images_.push_back(random_image(format, size.pixels(), random));
    for (const TestImage& image : images_) {
      const bool empty = with_empty && random() % 3 == 0;
      views_.push_back(empty ? ConstPixels{} : image.view());
    }
  }
  // The views look into the images of this very scene.
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;
  Scene(Scene&&) = default;
  Scene& operator=(Scene&&) = default;
  ~Scene() = default;

  std::span<const ConstPixels> views() const { return views_; }
  void remove(std::size_t rank) { views_[rank] = {}; }
  Size size() const { return size_; }
  const Format& format() const { return format_; }
  TestImage& image(std::size_t rank) { return images_[rank]; }

  // n pixels: channels within `allowed` (NaN only where expected, infinities exact), depth exact.
  void expect_near(ConstPixels found, ConstPixels expected, std::int64_t n, float allowed) const {
    const auto values = channels_of(format_, found.colour, n);
    const auto right = channels_of(format_, expected.colour, n);
    float worst = 0;
    for (std::size_t i = 0; i < right.size(); ++i) {
      const float a = values[i];
      const float b = right[i];
      if (std::isnan(b) || std::isinf(b)) {
        EXPECT_TRUE(std::isnan(b) ? std::isnan(a) : a == b)
            << "channel " << i << " is " << a << ", expected " << b;
        continue;
      }
      worst = std::max(worst, std::isnan(a) ? INFINITY : std::abs(a - b));
    }
    EXPECT_LE(worst, allowed);
    if (!format_.depth || n == 0) return;
    EXPECT_EQ(std::memcmp(found.depth, expected.depth, static_cast<std::size_t>(n) * sizeof(float)), 0)
        << "depth differs";
  }

  void expect_near(const Frame& frame, const Frame& oracle, float allowed) const {
    expect_near(frame.pixels.view(), oracle.pixels.view(), size_.pixels(), allowed);
  }

  // A rank's finished pixels against the same ones of the oracle.
  void expect_near(const Tile& tile, const Frame& oracle, float allowed) const {
    expect_near(tile.pixels().view(), advance(oracle.pixels.view(), format_, tile.range().begin),
                tile.range().size(), allowed);
  }

  void expect_same_bits(ConstPixels a, ConstPixels b, std::int64_t n) const {
    const auto count = static_cast<std::size_t>(n);
    if (count == 0) return;
    EXPECT_EQ(std::memcmp(a.colour, b.colour, count * format_.colour_bytes()), 0) << "colour differs";
    if (format_.depth) {
      EXPECT_EQ(std::memcmp(a.depth, b.depth, count * sizeof(float)), 0) << "depth differs";
    }
  }

  void expect_same_bits(const Frame& a, const Frame& b) const {
    expect_same_bits(a.pixels.view(), b.pixels.view(), size_.pixels());
  }

 private:
  Size size_;
  Format format_;
  std::vector<TestImage> images_;
  std::vector<ConstPixels> views_;
};

// Whether a rank gathers all fragments of its pixels at once, so that they are rounded only once.
inline bool rounds_once(const std::string& name) { return name == "direct-send" || name == "shift"; }

}  // namespace sortlast::testing
