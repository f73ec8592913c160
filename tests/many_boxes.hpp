// Random images of boxes for tests: several a rank, of any size, at random places in depth.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "random_images.hpp"
#include "sortlast/image.hpp"
#include "sortlast/tile.hpp"

namespace sortlast::testing {

// The images of all ranks, the same on every one that is given the same seed.
struct ManyBoxes {
  Size size;
  Format format;
  std::vector<TestImage> pixels;
  std::vector<BoxImage> images;
  std::vector<std::int32_t> ranks;  // whose it is

  std::vector<BoxImage> of(std::int32_t rank) const {
    std::vector<BoxImage> mine;
    for (std::size_t i = 0; i < images.size(); ++i)
      if (ranks[i] == rank) mine.push_back(images[i]);
    return mine;
  }
};

inline Rectangle random_box(Size size, std::int64_t most, std::mt19937& random) {
  const auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  const std::int64_t width = draw(0, std::min(most, size.width));
  const std::int64_t height = draw(1, std::min(most, size.height));
  const std::int64_t x = draw(0, size.width - width);
  const std::int64_t y = draw(0, size.height - height);
  return {x, y, x + width, y + height};
}

// `count` images of boxes of up to `most` pixels in width and height, one of them of the whole frame without
// a box, dealt out to p ranks at random; positions have gaps and may be below 0.
inline ManyBoxes many_boxes(Size size, const Format& format, std::int32_t p, std::int32_t count,
                            std::int64_t most, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> positions(static_cast<std::size_t>(count));
  std::iota(positions.begin(), positions.end(), 0);
  std::shuffle(positions.begin(), positions.end(), random);
  ManyBoxes scene{size, format, {}, {}, {}};
  for (std::int32_t i = 0; i < count; ++i) {
    const Rectangle box = i == 3 ? Rectangle{0, 0, size.width, size.height} : random_box(size, most, random);
    const Size extent{box.x1 - box.x0, box.y1 - box.y0};
    scene.pixels.push_back(random_image(format, extent.pixels(), random));
    BoxImage image{{scene.pixels.back().view(), extent, format, {}},
                   positions[static_cast<std::size_t>(i)] * 7 - 100,
                   box};
    if (i == 3) image.box.reset();
    scene.images.push_back(image);
    scene.ranks.push_back(static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(p)));
  }
  return scene;
}

// Colours of n pixels are those of the oracle, as exactly as a composite of `images` images in another
// association can have them; depths are exactly those.
inline void expect_near(const Format& format, ConstPixels found, ConstPixels expected, std::int64_t n,
                        std::size_t images) {
  const std::vector<float> a = channels_of(format, found.colour, n);
  const std::vector<float> b = channels_of(format, expected.colour, n);
  const float of_float32 = 1e-6F * static_cast<float>(std::max<std::size_t>(images, 1));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const float allowed = format.scalar == Scalar::uint8 ? 1.0F
                          : format.scalar == Scalar::float16
                              ? 0x1p-10F * std::max(1.0F, std::fabs(b[i])) + of_float32
                              : of_float32;
    ASSERT_NEAR(a[i], b[i], allowed) << "channel " << i % static_cast<std::size_t>(format.channels)
                                     << " of pixel " << i / static_cast<std::size_t>(format.channels);
  }
  if (!format.depth) return;
  for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(found.depth[i], expected.depth[i]) << "depth of pixel " << i;
}

}  // namespace sortlast::testing
