// Interleaving against the deal that it stands for, block by block and pixel by pixel, and what it is for.
#include "sortlast/schedule/interleaving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>

namespace sortlast {
namespace {

// Pixels of the image in the schedule's order, dealt in the plainest way.
std::vector<std::int64_t> dealt(std::int64_t n, std::int64_t hands, std::int64_t block) {
  std::vector<std::int64_t> pixels;
  for (std::int64_t hand = 0; hand < hands; ++hand)
    for (std::int64_t pixel = 0; pixel < n; ++pixel)
      if (pixel / block % hands == hand) pixels.push_back(pixel);
  return pixels;
}

std::vector<std::int64_t> pixels_of(const std::vector<Range>& ranges) {
  std::vector<std::int64_t> pixels;
  for (const Range range : ranges)
    for (std::int64_t pixel = range.begin; pixel < range.end; ++pixel) pixels.push_back(pixel);
  return pixels;
}

TEST(Interleaving, IsTheDealOfBlocks) {
  std::mt19937 random(61);
  for (const std::int32_t hands : {2, 3, 5, 8, 16, 33}) {
    for (const std::int64_t extra : {1, 63, 64, 65, 700, 5000, 40000}) {
      const std::int64_t n = (2 * hands - 1) * Interleaving::least_block + extra;
      SCOPED_TRACE(std::to_string(n) + " pixels to " + std::to_string(hands));
      const Interleaving interleaving(n, hands);
      ASSERT_FALSE(interleaving.none());
      const std::int64_t block = interleaving.block();
      EXPECT_GE(block, Interleaving::least_block);
      EXPECT_LE(block, Interleaving::most_block);
      const auto all = dealt(n, hands, block);
      EXPECT_EQ(pixels_of(interleaving.ranges({0, n})), all);

      // Parts of it, each range as long as it can be.
      for (int i = 0; i < 20; ++i) {
        const std::int64_t a = std::uniform_int_distribution<std::int64_t>(0, n)(random);
        const std::int64_t b = std::uniform_int_distribution<std::int64_t>(0, n)(random);
        const Range part{std::min(a, b), std::max(a, b)};
        const auto ranges = interleaving.ranges(part);
        ASSERT_EQ(pixels_of(ranges), std::vector(all.begin() + part.begin, all.begin() + part.end));
        for (std::size_t k = 1; k < ranges.size(); ++k) EXPECT_NE(ranges[k - 1].end, ranges[k].begin);
      }
    }
  }
}

TEST(Interleaving, IsNoneWhereThereIsNothingToDealOut) {
  for (const auto& [n, hands] :
       {std::pair<std::int64_t, std::int32_t>{0, 4}, {1, 4}, {5 * 64, 3}, {1 << 20, 1}}) {
    const Interleaving interleaving(n, hands);
    EXPECT_TRUE(interleaving.none()) << n << " pixels to " << hands;
    EXPECT_EQ(interleaving, Interleaving());
  }
  EXPECT_EQ(Interleaving().ranges({3, 9}), (std::vector{Range{3, 9}}));
  EXPECT_TRUE(Interleaving().ranges({3, 3}).empty());
  EXPECT_TRUE(Interleaving(1 << 20, 7).ranges({500, 500}).empty());
}

// The most that a piece holds of what `drawn` says, in mean pieces.
double unevenness(const Interleaving& interleaving, std::int64_t n, std::int32_t p,
                  const std::function<bool(std::int64_t)>& drawn) {
  std::int64_t most = 0;
  std::int64_t all = 0;
  for (std::int32_t j = 0; j < p; ++j) {
    const auto pixels = pixels_of(interleaving.ranges(piece_of(n, p, j)));
    const auto count = std::count_if(pixels.begin(), pixels.end(), drawn);
    most = std::max<std::int64_t>(most, count);
    all += count;
  }
  return static_cast<double>(most) * p / static_cast<double>(all);
}

TEST(Interleaving, SpreadsWhatIsDrawnInTheMiddle) {
  constexpr std::int64_t width = 2048;
  constexpr std::int64_t height = 1024;
  const auto in_disc = [](std::int64_t pixel) {
    const std::int64_t x = pixel % width - width / 2;
    const std::int64_t y = pixel / width - height / 2;
    return x * x + y * y < std::int64_t{250} * 250;
  };
  for (const std::int32_t p : {4, 8, 16}) {
    EXPECT_GT(unevenness({}, width * height, p, in_disc), 2) << p;
    EXPECT_LT(unevenness(Interleaving(width * height, p), width * height, p, in_disc), 1.1) << p;
  }
}

}  // namespace
}  // namespace sortlast
