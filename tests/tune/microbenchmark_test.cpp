// Gauges: their arithmetic, and figures that a machine can have.
#include "sortlast/tune/microbenchmark.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace sortlast {
namespace {

TEST(Gauge, QuantilesAreValuesOfTheList) {
  EXPECT_EQ(quantile({3}, 0.5), 3);
  EXPECT_EQ(quantile({3, 1}, 0.5), 1);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0), 1);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0.5), 5);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0.25), 3);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 1), 9);
}

TEST(Gauge, AnExpanseHandsOutAllOfItsMemoryBeforeAnyOfItAgain) {
  ColdBuffers expanse(std::size_t{9} << 20, 60);
  ASSERT_GE(expanse.size(), std::size_t{9} << 20);
  constexpr std::size_t bytes = 100000;
  std::set<std::byte*> pieces;
  std::byte* const first = expanse.next(bytes);
  EXPECT_EQ(first, expanse.memory().get());
  for (std::byte* piece = expanse.next(bytes); piece != first; piece = expanse.next(bytes)) {
    ASSERT_TRUE(pieces.insert(piece).second);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0);
    EXPECT_LE(piece + bytes, first + expanse.size());
  }
  EXPECT_GE((pieces.size() + 2) * (bytes + 64), expanse.size());
}

TEST(Gauge, AnExpanseIsNoLargerThanThereIsTimeFor) {
  EXPECT_EQ(ColdBuffers(std::size_t{64} << 20, 0).size(), ColdBuffers::least_bytes);
}

TEST(Gauge, FiguresOfThisCore) {
  ColdBuffers memory(std::size_t{32} << 20, 1);
  const double begin = thread_seconds();
  const CoreFigures figures = measure_core(memory, 0.05);
  EXPECT_LT(thread_seconds() - begin, 1);
  for (const double byte : {figures.gamma_read, figures.gamma_write, figures.copy}) {
    EXPECT_GT(byte, 1e-13);
    EXPECT_LT(byte, 1e-6);
  }
}

}  // namespace
}  // namespace sortlast
