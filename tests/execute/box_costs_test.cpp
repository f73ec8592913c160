// Box costs: which way is the cheaper one, in cases that can be told beforehand.
#include "sortlast/execute/layers/box_costs.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sortlast {
namespace {

constexpr Format rgba{Scalar::float32, 4, false};
constexpr Size frame{1280, 720};

// `count` images a rank, each of side x side pixels.
BoxTable table_of(std::int32_t p, int count, std::int64_t side) {
  std::vector<PlacedBox> boxes;
  for (std::int32_t rank = 0; rank < p; ++rank)
    for (int i = 0; i < count; ++i) boxes.push_back({i * p + rank, {0, 0, side, side}, rank, i});
  return {boxes, frame};
}

BoxCosts costs_of(std::int32_t p, int count, std::int64_t side, const BoxPlaces& places) {
  const auto bytes = static_cast<std::uint64_t>(count * side * side) * 16;
  return box_costs(table_of(p, count, side), rgba,
                   std::vector<std::uint64_t>(static_cast<std::size_t>(p), bytes), places, {});
}

TEST(BoxCosts, SmallImagesAreCollected) {
  for (const std::int32_t cores : {0, 1, 2, 64}) {
    const BoxCosts costs = costs_of(8, 10, 20, {8, 3, cores});
    EXPECT_LT(costs.collected, costs.pieces / 2) << cores << " cores";
  }
}

TEST(BoxCosts, ManyLargeImagesOfManyMachinesAreNot) {
  const BoxCosts costs = costs_of(64, 10, 500, {64, 0, 0});
  EXPECT_GT(costs.collected, 5 * costs.pieces);
}

TEST(BoxCosts, ImagesOfMostlyEmptyPixelsAreNot) {
  const BoxTable table = table_of(8, 10, 500);
  const BoxCosts dense = costs_of(8, 10, 500, {8, 0, 1});
  const BoxCosts sparse = box_costs(table, rgba, std::vector<std::uint64_t>(8, 1000000), {8, 0, 1}, {});
  EXPECT_EQ(sparse.collected, dense.collected);
  EXPECT_LT(sparse.pieces, dense.pieces);
  EXPECT_LT(sparse.pieces, sparse.collected);
}

// By the formulas, with figures that are easy to follow.
TEST(BoxCosts, AreThoseOfTheFormulas) {
  Machine machine;
  machine.alpha = 1;
  machine.beta = 10;
  machine.copy = 100;
  machine.gamma_read = 500;
  machine.gamma_write = 500;
  const BoxTable table({{0, {0, 0, 2, 1}, 0, 0}, {1, {0, 0, 1, 1}, 1, 0}}, {4, 1});
  const Format bytes{Scalar::uint8, 4, false};
  const std::vector<std::uint64_t> sent{8, 4};
  const BoxCosts costs = box_costs(table, bytes, sent, {2, 0, 0}, machine);
  EXPECT_DOUBLE_EQ(costs.collected, 1 + 10 * 4 + 1000 * 12);
  EXPECT_DOUBLE_EQ(costs.pieces, 2 + 10 * 8 + 10 * 4 + 100 * 4 + 1000 * 6);
}

}  // namespace
}  // namespace sortlast
