// Histogram: exact moments, percentiles within a 32nd.
#include "sortlast/simulate/packet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace sortlast::simulate {
namespace {

TEST(Histogram, OfNothingIsZero) {
  const Histogram none;
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.standard_deviation(), 0);
  EXPECT_EQ(none.min(), 0);
  EXPECT_EQ(none.max(), 0);
  EXPECT_EQ(none.percentile(0.5), 0);
  EXPECT_TRUE(none.bins().empty());
}

TEST(Histogram, IsExactBelow64) {
  Histogram all;
  for (std::int64_t i = 0; i < 64; ++i) all.add(i);
  for (std::int64_t i = 1; i <= 64; ++i) EXPECT_EQ(all.percentile(static_cast<double>(i) / 64), i - 1);
}

TEST(Histogram, AgreesWithSortedValues) {
  std::mt19937_64 random(3);
  Histogram all;
  std::vector<std::int64_t> values;
  double sum = 0, squares = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(std::exp(std::uniform_real_distribution(0.0, 20.0)(random)));
    values.push_back(value);
    all.add(value);
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  std::sort(values.begin(), values.end());
  EXPECT_EQ(all.count(), 20000);
  EXPECT_EQ(all.min(), values.front());
  EXPECT_EQ(all.max(), values.back());
  EXPECT_NEAR(all.mean(), sum / 20000, 1e-6 * all.mean());
  EXPECT_NEAR(all.standard_deviation(), std::sqrt(squares / 20000 - sum * sum / 4e8), 1e-6 * all.mean());
  for (const double part : {0.01, 0.1, 0.5, 0.9, 0.99, 1.0}) {
    const auto exact = static_cast<double>(values[static_cast<std::size_t>(part * 20000) - 1]);
    EXPECT_GE(static_cast<double>(all.percentile(part)), exact);
    EXPECT_LE(static_cast<double>(all.percentile(part)), exact * (1 + 1.0 / 32) + 1);
  }
}

TEST(Histogram, BinsTouchAndHoldAllValues) {
  std::mt19937_64 random(5);
  Histogram all;
  std::vector<std::int64_t> values;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(static_cast<std::int64_t>(std::exp(std::uniform_real_distribution(1.0, 15.0)(random))));
    all.add(values.back());
  }
  const std::vector<Histogram::Bin> bins = all.bins();
  ASSERT_FALSE(bins.empty());
  EXPECT_GT(bins.front().count, 0);
  EXPECT_GT(bins.back().count, 0);
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const auto [first, last, count] = bins[b];
    EXPECT_TRUE(b == 0 || first == bins[b - 1].last + 1);
    EXPECT_EQ(count, std::count_if(values.begin(), values.end(),
                                   [&](std::int64_t value) { return first <= value && value <= last; }));
  }
}

TEST(Histogram, OneValueIsOneBin) {
  Histogram one;
  one.add(0);
  ASSERT_EQ(one.bins().size(), 1u);
  EXPECT_EQ(one.bins()[0].first, 0);
  EXPECT_EQ(one.bins()[0].last, 0);
  EXPECT_EQ(one.bins()[0].count, 1);
}

}  // namespace
}  // namespace sortlast::simulate
