// Collect: one rank receives every image once, and ends with all pixels.
#include "sortlast/schedule/collect.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

TEST(Collect, VerifiesForEveryRootAndOrder) {
  std::mt19937 random(3);
  for (std::int32_t p = 1; p <= 17; ++p) {
    for (const bool commutes : {false, true}) {
      std::vector<std::int32_t> ranks(static_cast<std::size_t>(p));
      std::iota(ranks.begin(), ranks.end(), 0);
      std::shuffle(ranks.begin(), ranks.end(), random);
      Setting setting{.p = p, .n = 100};
      setting.commutes = commutes;
      (commutes ? setting.ring : setting.order) = ranks;
      for (std::int32_t root = 0; root < p; ++root) {
        const Schedule schedule = collect_schedule(setting, root);
        EXPECT_NO_THROW(schedule.verify()) << "p = " << p << ", root " << root;
        EXPECT_EQ(schedule.transfers().size(), static_cast<std::size_t>(p - 1));
        for (std::int32_t rank = 0; rank < p; ++rank)
          EXPECT_EQ(schedule.piece(rank), (rank == root ? Range{0, 100} : Range{}));
      }
    }
  }
}

TEST(Collect, OfNoPixelsMovesNothing) {
  const Schedule schedule = collect_schedule({.p = 3, .n = 0}, 1);
  EXPECT_NO_THROW(schedule.verify());
  EXPECT_TRUE(schedule.transfers().empty());
}

TEST(Collect, RefusesARootThatIsNoRank) {
  EXPECT_THROW(collect_schedule({.p = 3, .n = 10}, 3), ArgumentError);
  EXPECT_THROW(collect_schedule({.p = 3, .n = 10}, -1), ArgumentError);
}

}  // namespace
}  // namespace sortlast
