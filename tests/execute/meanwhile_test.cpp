// Turns: who works while it waits, and when.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "sortlast/execute/node/meanwhile.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {
namespace {

class TurnsOfOne : public ::testing::Test {
 protected:
  int worked_ = 0;
  std::atomic<std::int32_t> working_{0};
  Meanwhile meanwhile_{[this] { ++worked_; }, 600, 60};
};

TEST_F(TurnsOfOne, BeginSoLongAfterTheFirstCame) {
  Turns punctual(meanwhile_, trace_clock(), nullptr, 0);
  EXPECT_NEAR(punctual.seconds_left(), 600, 10);
  punctual.take();
  EXPECT_EQ(worked_, 0);

  Turns late(meanwhile_, trace_clock() - 601, nullptr, 0);
  EXPECT_LE(late.seconds_left(), 0);
  late.take();
  EXPECT_EQ(worked_, 1);
  EXPECT_NEAR(late.seconds_left(), 60, 10);
  late.take();
  EXPECT_EQ(worked_, 1);
}

TEST_F(TurnsOfOne, AreNoneIfThereIsNothingToDo) {
  const Meanwhile nothing;
  Turns turns(nothing, 0, &working_, 1);
  EXPECT_TRUE(std::isinf(turns.seconds_left()));
  turns.take();
  EXPECT_EQ(working_, 0);
}

TEST_F(TurnsOfOne, CountThemselvesWhileTheyWork) {
  std::int32_t then = -1;
  const Meanwhile counts{[&] { then = working_; }, 0, 60};
  Turns turns(counts, 0, &working_, 1);
  turns.take();
  EXPECT_EQ(then, 1);
  EXPECT_EQ(working_, 0);
}

// Where enough others work it looks again, sooner than after work of its own.
TEST_F(TurnsOfOne, WaitWhereEnoughOthersWork) {
  constexpr std::int32_t enough = 3;
  const double first = trace_clock() - 601;
  working_ = enough;
  Turns turns(meanwhile_, first, &working_, enough);
  turns.take();
  EXPECT_EQ(worked_, 0);
  EXPECT_EQ(working_, enough);
  EXPECT_GT(turns.seconds_left(), 0);
  EXPECT_LE(turns.seconds_left(), 15);

  working_ = enough - 1;
  Turns next(meanwhile_, first, &working_, enough);
  next.take();
  EXPECT_EQ(worked_, 1);
  EXPECT_EQ(working_, enough - 1);
}

TEST_F(TurnsOfOne, AreOverIfTheWorkFails) {
  const Meanwhile fails{[] { throw std::runtime_error("cannot"); }, 0, 60};
  Turns turns(fails, 0, &working_, 1);
  EXPECT_THROW(turns.take(), std::runtime_error);
  EXPECT_EQ(working_, 0);
}

}  // namespace
}  // namespace sortlast
