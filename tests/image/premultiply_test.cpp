// Straight alpha, against the plainest arithmetic in double precision.
#include "sortlast/image/blend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t awkward[] = {0, 1, 2, 255, 256, 257, 1000};

ConstPixels view(const auto& values) { return {reinterpret_cast<const std::byte*>(values.data()), nullptr}; }
Pixels view(auto& values) { return {reinterpret_cast<std::byte*>(values.data()), nullptr}; }

TEST(Premultiply, BytesToTheNearest) {
  // Every colour with every alpha, in runs of awkward lengths.
  for (const std::int64_t n : awkward) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(n) * 4);
    for (std::size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<std::uint8_t>((i * 2654435761U) >> 13);
    std::vector<std::uint8_t> out(pixels.size(), 7);
    premultiply({Scalar::uint8, 4}, view(pixels), view(out), n);
    for (std::size_t i = 0; i < pixels.size(); i += 4) {
      for (std::size_t channel = 0; channel < 3; ++channel) {
        const double exact = pixels[i + channel] * static_cast<double>(pixels[i + 3]) / 255;
        EXPECT_NEAR(out[i + channel], exact, 0.5001) << "pixel " << i / 4 << " of " << n;
      }
      EXPECT_EQ(out[i + 3], pixels[i + 3]);
      EXPECT_LE(std::max({out[i], out[i + 1], out[i + 2]}), out[i + 3]);
    }
  }
}

TEST(Premultiply, FloatsInPlaceWithDepthKept) {
  std::vector<float> pixels{1, 0.5F, 0.25F, 0.5F, 2, 1, 0, 0.25F, 0.3F, 0.3F, 0.3F, 1};
  const std::vector<float> depths{3, 2, 1};
  std::vector<float> nearest(3, 0);
  const Pixels out{view(pixels).colour, nearest.data()};
  premultiply({Scalar::float32, 4, true}, {view(pixels).colour, depths.data()}, out, 3);
  EXPECT_EQ(pixels,
            (std::vector<float>{0.5F, 0.25F, 0.125F, 0.5F, 0.5F, 0.25F, 0, 0.25F, 0.3F, 0.3F, 0.3F, 1}));
  EXPECT_EQ(nearest, depths);
}

TEST(Premultiply, NeedsAlpha) {
  const std::vector<float> pixels(3, 1);
  std::vector<float> out(3);
  EXPECT_THROW(premultiply({Scalar::float32, 3}, view(pixels), view(out), 1), ArgumentError);
}

}  // namespace
}  // namespace sortlast
