// Microbenchmarks: their arithmetic, the cold buffer ring, and times that a machine can have.
#include "sortlast/tune/microbenchmark.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>

namespace sortlast {
namespace {

TEST(Microbenchmark, QuantilesAreValuesOfTheList) {
  EXPECT_EQ(quantile({3}, 0.5), 3);
  EXPECT_EQ(quantile({3, 1}, 0.5), 1);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0), 1);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0.5), 5);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 0.25), 3);
  EXPECT_EQ(quantile({9, 1, 5, 3, 7}, 1), 9);
}

TEST(ColdBuffers, HandOutAllOfItsMemoryBeforeAnyOfItAgain) {
  ColdBuffers memory(std::size_t{9} << 20, 60);
  ASSERT_GE(memory.size(), std::size_t{9} << 20);
  constexpr std::size_t bytes = 100000;
  std::set<std::byte*> pieces;
  std::byte* const first = memory.next(bytes);
  EXPECT_EQ(first, memory.memory().get());
  for (std::byte* piece = memory.next(bytes); piece != first; piece = memory.next(bytes)) {
    ASSERT_TRUE(pieces.insert(piece).second);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % 64, 0);
    EXPECT_LE(piece + bytes, first + memory.size());
  }
  EXPECT_GE((pieces.size() + 2) * (bytes + 64), memory.size());
}

TEST(ColdBuffers, AreNoLargerThanThereIsTimeFor) {
  EXPECT_EQ(ColdBuffers(std::size_t{64} << 20, 0).size(), ColdBuffers::least_bytes);
}

TEST(Microbenchmark, TimesOfThisCore) {
  ColdBuffers memory(std::size_t{32} << 20, 1);
  const CoreTimes times = measure_core(memory, 0.05);
  for (const double byte : {times.gamma_read, times.gamma_write, times.copy}) {
    EXPECT_GT(byte, 1e-13);
    EXPECT_LT(byte, 1e-6);
  }
}

}  // namespace
}  // namespace sortlast
