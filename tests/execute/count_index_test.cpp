// Count index: the runs and sums that it finds, against the counts one by one.
#include "sortlast/content/fragments/counts.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// Counts in stretches of up to so many pixels.
std::vector<std::int32_t> draw_counts(std::size_t pixels, std::size_t longest, std::mt19937& random) {
  std::vector<std::int32_t> counts;
  while (counts.size() < pixels)
    counts.insert(counts.end(), 1 + random() % longest, static_cast<std::int32_t>(random() % 3));
  counts.resize(pixels);
  return counts;
}

class CountsOf : public testing::TestWithParam<std::size_t> {};

TEST_P(CountsOf, RunsAndSumsAreThoseOfEachPixel) {
  const std::size_t pixels = GetParam();
  std::mt19937 random(static_cast<std::uint32_t>(pixels));
  for (const std::size_t longest : {1U, 5U, 40U, 5000U}) {
    const std::vector<std::int32_t> counts = draw_counts(pixels, longest, random);
    const CountIndex index(counts, 1);
    const std::size_t begin = pixels == 0 ? 0 : random() % pixels;
    std::vector<CountRun> runs;
    index.append({static_cast<std::int64_t>(begin), static_cast<std::int64_t>(pixels)}, runs);
    RunReader reader(runs);
    std::size_t sum = 0;
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      ASSERT_EQ(index.first(static_cast<std::int64_t>(pixel)), sum) << "pixel " << pixel;
      sum += static_cast<std::size_t>(counts[pixel]);
      if (pixel < begin) continue;
      ASSERT_EQ(static_cast<std::int32_t>(reader.count()), counts[pixel]) << "pixel " << pixel;
      reader.pass(1);
    }
    EXPECT_EQ(reader.left(), 0U);
    EXPECT_EQ(index.total(), sum);
    for (std::size_t i = 1; i < runs.size(); ++i) EXPECT_NE(runs[i].count, runs[i - 1].count);
  }
}

TEST_P(CountsOf, ANegativeCountIsNamedWhereverItIs) {
  const std::size_t pixels = GetParam();
  for (const std::size_t at : {std::size_t{0}, pixels / 2, pixels - 1}) {
    if (at >= pixels) continue;
    std::vector<std::int32_t> counts(pixels, 1);
    counts[at] = -7;
    try {
      const CountIndex index(counts, static_cast<std::int64_t>(pixels));
      FAIL() << "a negative count is taken at " << at;
    } catch (const ArgumentError& error) {
      const std::string wanted = "(" + std::to_string(at) + ", 0) is -7";
      EXPECT_NE(std::string(error.what()).find(wanted), std::string::npos) << error.what();
    }
  }
}

// Around a chunk and a block.
INSTANTIATE_TEST_SUITE_P(Pixels, CountsOf,
                         testing::Values(0, 1, 2, 15, 16, 17, 18, 31, 32, 33, 100, 1007, 1008, 1009, 1023,
                                         1024, 1025, 1040, 1041, 2048, 2049, 5000));

}  // namespace
}  // namespace sortlast
