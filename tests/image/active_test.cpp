// The scan for active pixels, against the definition of the empty pixel.
#include <gtest/gtest.h>

#include "image/sparse_images.hpp"

namespace sortlast {
namespace {

using testing::Image;
using testing::Pattern;

std::vector<Format> all_formats() { return testing::formats_of(Op::add); }

std::vector<ActiveRun> runs_of(Image& image, std::int64_t begin, std::int64_t end) {
  std::vector<ActiveRun> runs;
  append_active(image.format(), image.pixels(), begin, end, runs);
  return runs;
}

// The runs hold every active pixel, begin and end with one, and lie further apart than a run takes room.
void expect_runs(Image& image, std::int64_t begin, std::int64_t end, const std::vector<ActiveRun>& runs) {
  std::int64_t at = begin;
  for (const ActiveRun& run : runs) {
    ASSERT_EQ(run.at, run.begin);
    ASSERT_GT(run.count, 0u);
    const std::int64_t run_end = std::int64_t{run.begin} + run.count;
    ASSERT_LE(run_end, end);
    if (at > begin) {
      ASSERT_GT((run.begin - at) * static_cast<std::int64_t>(image.format().pixel_bytes()), 12);
    }
    for (std::int64_t i = at; i < run.begin; ++i) ASSERT_TRUE(testing::is_empty(image, i)) << i;
    EXPECT_FALSE(testing::is_empty(image, run.begin)) << run.begin;
    EXPECT_FALSE(testing::is_empty(image, run_end - 1)) << run_end - 1;
    at = run_end;
  }
  for (std::int64_t i = at; i < end; ++i) ASSERT_TRUE(testing::is_empty(image, i)) << i;
}

TEST(Active, RunsHoldEveryActivePixel) {
  std::mt19937 random(11);
  for (const Format& format : all_formats())
    for (Pattern pattern : testing::all_patterns)
      for (std::int64_t n : {1, 2, 63, 64, 65, 130, 4095, 4096, 4097, 9000}) {
        Image image = testing::random_image(format, n, random, random() % 16);
        testing::keep_pattern(image, n, pattern, random);
        const std::int64_t begin = n / 5;
        const std::int64_t end = n - n / 7;
        testing::for_each_target([&](const std::string& target) {
          SCOPED_TRACE(target + ", " + format_name(format) + ", n = " + std::to_string(n));
          expect_runs(image, 0, n, runs_of(image, 0, n));
          expect_runs(image, begin, end, runs_of(image, begin, end));
        });
      }
}

// One bit anywhere in a pixel makes it active: minus zero and a NaN depth as well.
TEST(Active, EveryBitCounts) {
  const std::int64_t n = 70;
  for (const Format& format : all_formats()) {
    Image image(format, n);
    for (std::int64_t i = 0; i < n; ++i) testing::clear_pixel(image, i);
    testing::for_each_target([&](const std::string& target) {
      for (std::int64_t pixel : {0, 3, 63, 64, 69})
        for (std::size_t bit = 0; bit < format.pixel_bytes() * 8; ++bit) {
          Image changed = image;
          const Pixels at = changed.pixels(pixel);
          const std::size_t colour_bits = format.colour_bytes() * 8;
          std::byte* const byte = bit < colour_bits
                                      ? at.colour + bit / 8
                                      : reinterpret_cast<std::byte*>(at.depth) + (bit - colour_bits) / 8;
          *byte ^= static_cast<std::byte>(1u << bit % 8);
          const auto begin = static_cast<std::uint32_t>(pixel);
          EXPECT_EQ(runs_of(changed, 0, n), (std::vector<ActiveRun>{{begin, 1, begin}}))
              << target << ", " << format_name(format) << ", bit " << bit << " of pixel " << pixel;
        }
      EXPECT_TRUE(runs_of(image, 0, n).empty()) << target;
    });
  }
}

TEST(Active, GapsShorterThanARunAreKept) {
  const std::int64_t n = 400;
  for (const Format& format : all_formats()) {
    const auto longest = static_cast<std::int64_t>(12 / format.pixel_bytes());
    for (std::int64_t gap : {longest, longest + 1}) {
      Image image(format, n);
      for (std::int64_t i = 0; i < n; ++i) testing::clear_pixel(image, i);
      image.set(100, 0, std::uint8_t{1});
      image.set(101 + gap, 0, std::uint8_t{1});
      EXPECT_EQ(runs_of(image, 0, n).size(), gap <= longest ? 1u : 2u) << format_name(format) << ", " << gap;
    }
  }
}

TEST(Active, RunsAreAppended) {
  Image image({Scalar::uint8, 4, false}, 100);
  for (std::int64_t i = 0; i < 100; ++i) image.set(i, 1, std::uint8_t{7});
  std::vector<ActiveRun> runs;
  append_active(image.format(), image.pixels(), 0, 40, runs);
  append_active(image.format(), image.pixels(), 40, 100, runs);
  append_active(image.format(), image.pixels(), 100, 100, runs);
  EXPECT_EQ(runs, (std::vector<ActiveRun>{{0, 40, 0}, {40, 60, 40}}));
}

TEST(Active, TheSampleIsCloseToTheShare) {
  std::mt19937 random(12);
  for (const Format& format : all_formats()) {
    const std::int64_t n = 1 << 18;
    Image image = testing::random_image(format, n, random);
    EXPECT_EQ(sample_active(format, image.pixels(), 5, 5), 0.0);
    EXPECT_EQ(sample_active(format, image.pixels(), 0, n), 1.0) << format_name(format);

    // A box of half the rows' width and a quarter of the height.
    for (std::int64_t i = 0; i < n; ++i)
      if (i % 1024 >= 512 || i >= n / 4) testing::clear_pixel(image, i);
    EXPECT_NEAR(sample_active(format, image.pixels(), 0, n), 0.125, 0.05) << format_name(format);
    EXPECT_NEAR(sample_active(format, image.pixels(), 0, n / 4), 0.5, 0.05) << format_name(format);
    EXPECT_EQ(sample_active(format, image.pixels(), n / 2, n), 0.0) << format_name(format);
    EXPECT_EQ(sample_active(format, image.pixels(), 500, 524), 0.5) << format_name(format);

    // Of runs, wherever their pixels lie: a row and a half of which a third is active, and pixels to be seen
    // all.
    const ActiveRun rows[] = {{0, 512, 2048}, {512, 1024, static_cast<std::uint32_t>(n) - 1024}};
    EXPECT_NEAR(sample_active(format, image.pixels(), rows), 1.0 / 3, 0.02) << format_name(format);
    const ActiveRun few[] = {{0, 12, 1024}, {12, 4, 600}};
    EXPECT_EQ(sample_active(format, image.pixels(), few), 0.75) << format_name(format);
    EXPECT_EQ(sample_active(format, image.pixels(), {}), 0.0) << format_name(format);
  }
}

TEST(Active, TheSampleTellsTheRows) {
  std::mt19937 random(14);
  const Format format{Scalar::float32, 4, true};
  const std::int64_t width = 512;
  const std::int64_t height = 256;
  Image image = testing::random_image(format, width * height, random);
  const auto sampled = [&] { return sample_rows(format, image.pixels(), width, height); };
  EXPECT_EQ(sampled().active, 1.0);
  EXPECT_EQ(sampled().rows, (Rectangle{0, 0, width, height}));

  // Scattered pixels reach the first and last rows, those of a block do not.
  for (std::int64_t i = 0; i < width * height; ++i)
    if (random() % 8 != 0) testing::clear_pixel(image, i);
  EXPECT_NEAR(sampled().active, 1.0 / 8, 0.06);
  EXPECT_LE(sampled().rows.y0, height / 16);
  EXPECT_GE(sampled().rows.y1, height - height / 16);
  for (std::int64_t i = 0; i < width * height; ++i) {
    testing::clear_pixel(image, i);
    if (i / width >= 64 && i / width < 128 && i % width < 256) image.set(i, 3, 1.0F);
  }
  EXPECT_NEAR(sampled().active, 1.0 / 8, 0.03);
  EXPECT_NEAR(static_cast<double>(sampled().rows.y0), 64, 8);
  EXPECT_NEAR(static_cast<double>(sampled().rows.y1), 128, 8);

  for (std::int64_t i = 0; i < width * height; ++i) testing::clear_pixel(image, i);
  EXPECT_EQ(sampled().active, 0.0);
  EXPECT_EQ(sampled().rows, Rectangle{});
  EXPECT_EQ(sample_rows(format, image.pixels(), 0, 5).rows, Rectangle{});
}

// The box of the active pixels by looking at each.
Rectangle slow_box(Image& image, std::int64_t width, std::int64_t height) {
  Rectangle box{width, height, 0, 0};
  for (std::int64_t i = 0; i < width * height; ++i) {
    if (testing::is_empty(image, i)) continue;
    box = {std::min(box.x0, i % width), std::min(box.y0, i / width), std::max(box.x1, i % width + 1),
           std::max(box.y1, i / width + 1)};
  }
  return box.x1 == 0 ? Rectangle{} : box;
}

TEST(Active, TheBoxIsTheSmallest) {
  std::mt19937 random(12);
  for (const Format& format : all_formats())
    for (const auto& [width, height] : {std::pair{1, 1}, {1, 70}, {70, 1}, {64, 9}, {131, 17}, {300, 40}})
      for (int few : {0, 1, 2, 5, 100}) {
        // A few active pixels in an empty image.
        const std::int64_t n = std::int64_t{width} * height;
        Image image(format, n);
        testing::keep_pattern(image, n, Pattern::none, random);
        for (int k = 0; k < few; ++k) {
          const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
          image.pixels(i).colour[random() % format.colour_bytes()] = std::byte{1};
        }
        testing::for_each_target([&](const std::string& target) {
          SCOPED_TRACE(target + ", " + format_name(format) + ", " + std::to_string(width) + "x" +
                       std::to_string(height));
          EXPECT_EQ(active_box(format, image.pixels(), width, height), slow_box(image, width, height));
        });
      }
}

}  // namespace
}  // namespace sortlast
