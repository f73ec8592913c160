// Identities and backgrounds.
#include <gtest/gtest.h>

#include <cmath>

#include "image/images.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Image;

const float infinity = std::numeric_limits<float>::infinity();

// A random image without NaN and infinity, which no identity can leave alone under over.
Image finite_image(const Format& format, std::int64_t n, std::mt19937& random) {
  Image image(format, n);
  for (std::int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < format.channels; ++c) {
      if (format.scalar == Scalar::float32) image.set(i, c, static_cast<float>(random() % 1000) / 999.0f);
      if (format.scalar == Scalar::uint8) image.set(i, c, static_cast<std::uint8_t>(random()));
      if (format.scalar == Scalar::float16) image.set(i, c, static_cast<std::uint16_t>(random() % 0x7c00));
    }
    if (format.depth) image.set_depth(i, static_cast<float>(random() % 100));
  }
  return image;
}

TEST(Identity, ChangesNothingFromEitherSide) {
  std::mt19937 random(9);
  const std::int64_t n = 700;
  for (Op op : testing::all_ops)
    for (const Format& format : testing::formats_of(op)) {
      Image image = finite_image(format, n, random);
      Image identity(format, n);
      fill_identity(op, format, identity.pixels(), n);
      if (format.depth) {
        EXPECT_EQ(identity.depth(0), infinity);
        EXPECT_EQ(identity.depth(n - 1), infinity);
      }
      for (Side side : {Side::front, Side::back}) {
        const std::vector<Link> chain{image.link(), identity.link(side)};
        Image out(format, n);
        blend(op, format.channels, format.depth, chain, out.pixels(), format.scalar, n);
        EXPECT_TRUE(out == image) << op_name(op) << ", " << format_name(format);
      }
    }
}

TEST(Identity, OfAddKeepsTheSignOfZero) {
  const Format format{Scalar::float32, 3, false};
  Image identity(format, 5);
  fill_identity(Op::add, format, identity.pixels(), 5);
  EXPECT_EQ(identity.get<float>(4, 2), 0.0f);
  EXPECT_TRUE(std::signbit(identity.get<float>(4, 2)));
}

TEST(Background, LiesBehindTheImage) {
  std::mt19937 random(10);
  const std::int64_t n = 700;
  const std::vector<float> colour{0.1f, 0.2f, 0.3f, 0.7f};
  for (Op op : {Op::over, Op::add, Op::max, Op::min})
    for (const Format& format : testing::formats_of(op)) {
      Image image = finite_image(format, n, random);
      Image behind({Scalar::float32, format.channels, format.depth}, n);
      for (std::int64_t i = 0; i < n; ++i) {
        for (int c = 0; c < format.channels; ++c) behind.set(i, c, colour[static_cast<std::size_t>(c)]);
        if (format.depth) behind.set_depth(i, infinity);
      }
      Image expected(format, n);
      const std::vector<Link> chain{image.link(), behind.link(Side::back)};
      blend_reference(op, format.channels, format.depth, chain, expected.pixels(), format.scalar, n);

      apply_background(op, format, std::span(colour).first(static_cast<std::size_t>(format.channels)),
                       image.pixels(), n);
      EXPECT_TRUE(image == expected) << op_name(op) << ", " << format_name(format);
    }
}

TEST(Background, ShowsWhereNothingIsNearerThanInfinity) {
  const Format format{Scalar::uint8, 3, true};
  Image image(format, 4);
  const float depths[] = {infinity, 5.0f, std::numeric_limits<float>::quiet_NaN(), -infinity};
  for (std::int64_t i = 0; i < 4; ++i) {
    for (int c = 0; c < 3; ++c) image.set(i, c, std::uint8_t{9});
    image.set_depth(i, depths[i]);
  }
  apply_background(Op::closest, format, std::vector{0.2f, 0.4f, 1.0f}, image.pixels(), 4);
  for (std::int64_t i : {0, 2}) {
    EXPECT_EQ(image.get<std::uint8_t>(i, 0), 51);
    EXPECT_EQ(image.get<std::uint8_t>(i, 1), 102);
    EXPECT_EQ(image.get<std::uint8_t>(i, 2), 255);
  }
  for (std::int64_t i : {1, 3}) {
    EXPECT_EQ(image.get<std::uint8_t>(i, 0), 9);
    EXPECT_EQ(image.depth(i), depths[i]);
  }
}

// A background at a depth, as a picture of a depth buffer has it: where nothing is nearer.
TEST(Background, LiesAtItsDepth) {
  const Format format{Scalar::float32, 4, true};
  const float depths[] = {0.5f, 1.0f, 2.0f, infinity, std::numeric_limits<float>::quiet_NaN(), -infinity};
  const bool covers[] = {false, true, true, true, true, false};
  Image image(format, 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    for (int c = 0; c < 4; ++c) image.set(i, c, 9.0f);
    image.set_depth(i, depths[i]);
  }
  Background(Op::closest, format, std::vector{0.2f, -0.0f, 0.4f, 1.0f}, 1.0f).apply(image.pixels(), 6);
  for (std::int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(image.get<float>(i, 0), covers[i] ? 0.2f : 9.0f) << depths[i];
    EXPECT_EQ(image.get<float>(i, 3), covers[i] ? 1.0f : 9.0f) << depths[i];
    EXPECT_EQ(image.depth(i), covers[i] ? 1.0f : depths[i]);
  }
}

// One far pixel at each place of a row of near ones, whole vectors of which are left as they are.
TEST(Background, FindsEveryFarPixel) {
  constexpr std::int64_t n = 150;
  const Format format{Scalar::uint8, 4, true};
  const Background background(Op::closest, format, std::vector{1.0f, 1.0f, 1.0f, 1.0f}, 1.0f);
  testing::for_each_target([&](const std::string& target) {
    for (const float depth : {1.0f, infinity, std::numeric_limits<float>::quiet_NaN()})
      for (std::int64_t far = 0; far <= n; ++far) {
        Image image(format, n);
        for (std::int64_t i = 0; i < n; ++i) image.set_depth(i, i == far ? depth : 0.5f);
        background.apply(image.pixels(), n);
        for (std::int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(image.get<std::uint8_t>(i, 2), i == far ? 255 : 0)
              << target << ", " << depth << ", " << far;
          ASSERT_EQ(image.depth(i), i == far ? 1.0f : 0.5f) << target << ", " << depth << ", " << far;
        }
      }
  });
}

// What is put behind each block as it is finished is what is put behind all of them later.
TEST(Background, WhileBlendingHasTheBitsOfAfterwards) {
  std::mt19937 random(11);
  const std::vector<float> colour{0.1f, 0.2f, 0.3f, 0.7f};
  for (const std::int64_t n : {1, 1023, 1024, 2500})
    for (Op op : testing::all_ops)
      for (const Format& format : testing::formats_of(op)) {
        const Background background(op, format,
                                    std::span(colour).first(static_cast<std::size_t>(format.channels)), 50);
        Image front = finite_image(format, n, random);
        Image back = finite_image(format, n, random);
        const auto half = static_cast<std::uint32_t>(n / 2);
        const std::vector<ActiveRun> runs{{0, half, 0}};  // the first half of the pixels
        for (const bool sparse : {false, true}) {
          std::vector<Link> chain{front.link(), back.link(Side::back)};
          if (sparse)
            for (Link& link : chain) {
              link.sparse = true;
              link.runs = runs;
            }
          Image expected(format, n);
          blend(op, format.channels, format.depth, chain, expected.pixels(), format.scalar, n);
          background.apply(expected.pixels(), n);
          for (Stores stores : {Stores::cached, Stores::streaming}) {
            Image out(format, n);
            blend(op, format.channels, format.depth, chain, out.pixels(), format.scalar, n, &background,
                  stores);
            EXPECT_TRUE(out == expected) << op_name(op) << ", " << format_name(format) << ", " << n;
          }
        }
      }
}

// The same of several images with runs here and there, whose blocks are opened in turns.
TEST(Background, WhileBlendingSparseImages) {
  constexpr std::int64_t n = 1024;
  std::mt19937 random(12);
  const std::vector<float> colour{0.1f, 0.2f, 0.3f, 0.7f};
  for (Op op : testing::all_ops)
    for (const Format& format : testing::formats_of(op)) {
      const Background background(op, format,
                                  std::span(colour).first(static_cast<std::size_t>(format.channels)), 50);
      std::vector<Image> images;
      for (int k = 0; k < 6; ++k) images.push_back(finite_image(format, n, random));
      for (int turn = 0; turn < 40; ++turn) {
        std::vector<std::vector<ActiveRun>> runs(2 + random() % 5);
        std::vector<Link> chain;
        for (std::size_t k = 0; k < runs.size(); ++k) {
          for (auto at = static_cast<std::uint32_t>(random() % 300); at < n && random() % 4 != 0; at += 200) {
            const auto count =
                std::min(1 + static_cast<std::uint32_t>(random() % 150), static_cast<std::uint32_t>(n) - at);
            runs[k].push_back({at, count, at});
          }
          chain.push_back(images[k].link(testing::random_side(random)));
          chain.back().sparse = true;
          chain.back().runs = runs[k];
        }
        Image expected(format, n);
        blend(op, format.channels, format.depth, chain, expected.pixels(), format.scalar, n);
        background.apply(expected.pixels(), n);
        Image out(format, n);
        blend(op, format.channels, format.depth, chain, out.pixels(), format.scalar, n, &background);
        EXPECT_TRUE(out == expected) << op_name(op) << ", " << format_name(format) << ", " << turn;
      }
    }
}

TEST(Background, OfTheWrongNumberOfValuesIsAnError) {
  const Format format{Scalar::uint8, 4, false};
  Image image(format, 1);
  try {
    apply_background(Op::over, format, std::vector{0.0f, 0.0f, 0.0f}, image.pixels(), 1);
    FAIL() << "no exception";
  } catch (const ArgumentError& error) {
    EXPECT_STREQ(error.what(), "the background has 3 values; RGBA uint8 needs 4");
  }
}

TEST(Fill, TakesNoPixels) {
  const Format format{Scalar::float16, 4, true};
  fill_identity(Op::over, format, {}, 0);
  apply_background(Op::over, format, std::vector{0.0f, 0.0f, 0.0f, 1.0f}, {}, 0);
}

}  // namespace
}  // namespace sortlast
