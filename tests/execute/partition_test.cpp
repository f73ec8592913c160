// How unevenly contiguous pieces of an image are drawn on, and what partition is chosen from that.
#include "sortlast/execute/plan/choice.hpp"

#include <gtest/gtest.h>

#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

TEST(Partitions, TellHowUnevenPiecesAre) {
  constexpr Size size{320, 160};
  // The middle half of the rows, half of the columns.
  const Coverage middle = coverage_of(Rectangle{0, 40, 160, 120}, size, 1, 4);
  EXPECT_EQ(middle[1], 0U);
  EXPECT_EQ(middle[2], 0xffffffffU / 4 / 2);
  EXPECT_EQ(middle[5], 0xffffffffU / 4 / 2);
  EXPECT_EQ(middle[6], 0U);
  EXPECT_DOUBLE_EQ(unevenness_of(middle, 1), 1);
  EXPECT_DOUBLE_EQ(unevenness_of(middle, 2), 1);
  EXPECT_DOUBLE_EQ(unevenness_of(middle, 3), 2);  // pieces of 1/12, 1/3, 1/12 of the rows
  EXPECT_DOUBLE_EQ(unevenness_of(middle, 4), 2);
  EXPECT_DOUBLE_EQ(unevenness_of(middle, 100), 2);
  EXPECT_DOUBLE_EQ(unevenness_of(coverage_of({}, size, 0.25, 7), 7), 1);
  EXPECT_DOUBLE_EQ(unevenness_of(Coverage{}, 7), 1);
  EXPECT_DOUBLE_EQ(unevenness_of(coverage_of({}, {0, 0}, 1, 3), 3), 1);
}

// A million full images add up, and of one pixel in them something is left.
TEST(Partitions, CoverageOfManyRanksIsSummed) {
  constexpr Size size{8192, 8192};
  constexpr std::int32_t p = 1'000'000;
  const std::uint64_t full = coverage_of({}, size, 1, p)[0];
  EXPECT_GT(full, 4000U);
  EXPECT_LE(full * p, 0xffffffffU);
  const Coverage pixel = coverage_of(Rectangle{9, 9, 10, 10}, size, 1, p);
  EXPECT_EQ(pixel[0], 1U);
  EXPECT_EQ(pixel[1], 0U);
}

TEST(Partitions, AreChosenFromTheCoverage) {
  constexpr Size size{320, 160};
  const Coverage middle = coverage_of(Rectangle{0, 40, 160, 120}, size, 1, 4);
  Machine machine;
  machine.beta = 8e-8;  // 100 Mbit/s
  const auto shared_out = [&](Partition partition, const Coverage* coverage) {
    return choose_partition(partition, size.pixels(), 4, coverage, machine);
  };
  const Interleaving dealt(size.pixels(), 4);
  EXPECT_EQ(shared_out(Partition::interleaved, nullptr).interleaving, dealt);
  EXPECT_TRUE(shared_out(Partition::contiguous, &middle).interleaving.none());
  EXPECT_TRUE(shared_out(Partition::automatic, nullptr).interleaving.none());
  EXPECT_EQ(shared_out(Partition::automatic, &middle).interleaving, dealt);
  EXPECT_DOUBLE_EQ(shared_out(Partition::automatic, &middle).unevenness, 2);
  const Coverage even = coverage_of({}, size, 0.25, 4);
  EXPECT_TRUE(shared_out(Partition::automatic, &even).interleaving.none());
  EXPECT_TRUE(
      choose_partition(Partition::interleaved, most_counted + 1, 4, nullptr, machine).interleaving.none());
}

TEST(Partitions, InBlocksPayOnSlowNetworks) {
  Machine machine;
  machine.beta = 8e-8;  // 100 Mbit/s
  machine.copy = 1e-10;
  EXPECT_TRUE(interleaving_pays(1.5, machine));
  EXPECT_FALSE(interleaving_pays(1, machine));
  machine.beta = 1e-10;
  EXPECT_FALSE(interleaving_pays(1.5, machine));
  EXPECT_TRUE(interleaving_pays(2.5, machine));
}

}  // namespace
}  // namespace sortlast
