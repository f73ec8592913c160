// What the operators mean, pixel by pixel.
#include <gtest/gtest.h>

#include <cmath>

#include "image/images.hpp"

namespace sortlast {
namespace {

using testing::Image;

const float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

// One RGBA float32 pixel over (or under) another, by every target, repeated to fill vectors.
std::array<float, 4> blend_pixel(Op op, std::array<float, 4> front, std::array<float, 4> back) {
  const Format format{Scalar::float32, 4, false};
  const std::int64_t n = 21;
  Image images[] = {{format, n}, {format, n}};
  for (std::int64_t i = 0; i < n; ++i)
    for (int c = 0; c < 4; ++c) {
      images[0].set(i, c, front[static_cast<std::size_t>(c)]);
      images[1].set(i, c, back[static_cast<std::size_t>(c)]);
    }
  const std::vector<Link> chain{images[0].link(), images[1].link()};
  std::array<float, 4> result{};
  testing::for_each_target([&](const std::string& target) {
    Image out(format, n);
    blend(op, 4, false, chain, out.pixels(), Scalar::float32, n);
    for (int c = 0; c < 4; ++c) {
      const std::uint32_t first = out.get<std::uint32_t>(0, c);
      for (std::int64_t i = 1; i < n; ++i) EXPECT_EQ(out.get<std::uint32_t>(i, c), first) << target;
      result[static_cast<std::size_t>(c)] = out.get<float>(0, c);
    }
  });
  return result;
}

TEST(Over, AddsWhatTheFrontLetsThrough) {
  EXPECT_EQ(blend_pixel(Op::over, {0.5f, 0.25f, 0, 0.5f}, {1, 1, 0.5f, 1}),
            (std::array{1.0f, 0.75f, 0.25f, 1.0f}));
}

TEST(Over, ColourWithoutAlphaCounts) {
  EXPECT_EQ(blend_pixel(Op::over, {0.5f, 0, 0, 0}, {0.25f, 0.5f, 0, 1}),
            (std::array{0.75f, 0.5f, 0.0f, 1.0f}));
  EXPECT_EQ(blend_pixel(Op::over, {0.25f, 0, 0, 0.5f}, {0.5f, 0, 0, 0}),
            (std::array{0.5f, 0.0f, 0.0f, 0.5f}));
}

TEST(Over, AnOpaqueFrontDoesNotHideNanOrInfinity) {
  const auto result = blend_pixel(Op::over, {0.5f, 0.5f, 0.5f, 1}, {nan, infinity, 1, 1});
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_TRUE(std::isnan(result[1]));  // 0 * infinity
  EXPECT_EQ(result[2], 0.5f);
  EXPECT_EQ(blend_pixel(Op::over, {0, 0, 0, 0.5f}, {infinity, -infinity, 0, 1})[0], infinity);
}

TEST(MaxMin, FollowIeee754Of2019) {
  for (const auto& [a, b] : {std::pair{0.0f, -0.0f}, std::pair{-0.0f, 0.0f}}) {
    EXPECT_FALSE(std::signbit(blend_pixel(Op::max, {a, a, a, a}, {b, b, b, b})[1]));
    EXPECT_TRUE(std::signbit(blend_pixel(Op::min, {a, a, a, a}, {b, b, b, b})[1]));
  }
  const std::array<float, 4> a{nan, 1, -infinity, 2}, b{1, nan, 3, 1};
  for (Op op : {Op::max, Op::min})
    for (const auto& result : {blend_pixel(op, a, b), blend_pixel(op, b, a)}) {
      EXPECT_TRUE(std::isnan(result[0]));
      EXPECT_TRUE(std::isnan(result[1]));
      EXPECT_EQ(result[2], op == Op::max ? 3.0f : -infinity);
      EXPECT_EQ(result[3], op == Op::max ? 2.0f : 1.0f);
    }
}

TEST(Add, MakesNanOfOppositeInfinities) {
  const auto result = blend_pixel(Op::add, {infinity, 1, -0.0f, infinity}, {-infinity, 2, -0.0f, 1});
  EXPECT_TRUE(std::isnan(result[0]));
  EXPECT_EQ(result[1], 3.0f);
  EXPECT_TRUE(std::signbit(result[2]));
  EXPECT_EQ(result[3], infinity);
}

// The plainest statement of the order of depths: numbers ascending, then NaN.
bool lies_before(float a, float b) { return !std::isnan(a) && (std::isnan(b) || a < b); }

const float depths[] = {-infinity, -1.0f, -0.0f, 0.0f, 0.5f, 1.0f, infinity, nan, -nan};

// Images of one pixel for every triple of depths; the colour tells the image.
std::vector<Image> depth_triples(const Format& format) {
  const std::size_t count = std::size(depths);
  std::vector<Image> images(3, Image(format, static_cast<std::int64_t>(count * count * count)));
  for (std::size_t i = 0; i < count * count * count; ++i) {
    const std::size_t choice[] = {i / (count * count), i / count % count, i % count};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto at = static_cast<std::int64_t>(i);
      images[k].set_depth(at, depths[choice[k]]);
      for (int c = 0; c < format.channels; ++c) images[k].set(at, c, static_cast<std::uint8_t>(k + 1));
    }
  }
  return images;
}

TEST(Closest, ShowsTheFrontmostOfTheNearestInEveryAssociation) {
  for (int channels : {3, 4}) {
    const Format format{Scalar::uint8, channels, true};
    std::vector<Image> images = depth_triples(format);
    const auto n = static_cast<std::int64_t>(std::size(depths) * std::size(depths) * std::size(depths));
    // Chains of images in depth order 0, 1, 2, gathered from each end and from the middle.
    const std::vector<std::vector<Link>> chains{
        {images[0].link(), images[1].link(Side::back), images[2].link(Side::back)},
        {images[2].link(), images[1].link(Side::front), images[0].link(Side::front)},
        {images[1].link(), images[0].link(Side::front), images[2].link(Side::back)},
        {images[1].link(), images[2].link(Side::back), images[0].link(Side::front)}};
    testing::for_each_target([&](const std::string& target) {
      for (std::size_t chain = 0; chain < chains.size(); ++chain) {
        Image out(format, n);
        blend(Op::closest, channels, true, chains[chain], out.pixels(), Scalar::uint8, n);
        for (std::int64_t i = 0; i < n; ++i) {
          std::size_t nearest = 0;
          for (std::size_t k : {1u, 2u})
            if (lies_before(images[k].depth(i), images[nearest].depth(i))) nearest = k;
          ASSERT_EQ(out.get<std::uint8_t>(i, 0), nearest + 1) << target << ", chain " << chain << ", " << i;
          ASSERT_EQ(std::memcmp(out.pixels(i).depth, images[nearest].pixels(i).depth, sizeof(float)), 0);
        }
      }
    });
  }
}

TEST(Depth, BesideOtherOperatorsKeepsTheNearest) {
  const Format format{Scalar::uint8, 4, true};
  std::vector<Image> images = depth_triples(format);
  const auto n = static_cast<std::int64_t>(std::size(depths) * std::size(depths) * std::size(depths));
  const std::vector<Link> chain{images[0].link(), images[1].link(Side::front), images[2].link()};
  for (Op op : {Op::over, Op::add, Op::max, Op::min})
    testing::for_each_target([&](const std::string& target) {
      Image out(format, n);
      blend(op, 4, true, chain, out.pixels(), Scalar::uint8, n);
      for (std::int64_t i = 0; i < n; ++i) {
        float nearest = nan;
        for (Image& image : images)
          if (lies_before(image.depth(i), nearest)) nearest = image.depth(i);
        if (std::isnan(nearest))
          ASSERT_TRUE(std::isnan(out.depth(i))) << target;
        else
          ASSERT_EQ(out.depth(i), nearest) << target << ", " << op_name(op) << ", pixel " << i;
      }
    });
}

}  // namespace
}  // namespace sortlast
