// Ranks of a node that come late or stop: the others say who, and nobody hangs.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "mpi/node_ranks.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::NodeOfRanks;

constexpr double limit = 0.3;   // [s]
constexpr double answer = 1.0;  // in which ranks tell each other what they wait for [s]
constexpr double slack = 20;    // for a busy machine [s]

class NodeTimeout : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  int late_ = p_ - 1;

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
  }

  static bool meet(NodeOfRanks& node) {
    Offer offer;
    offer.frame_bytes = 1000;
    return node->meet(offer, "test");
  }
  static std::string expect_timeout(const std::function<void()>& action) {
    const double begin = MPI_Wtime();
    std::string text = error_of<TimeoutError>(action);
    EXPECT_LT(MPI_Wtime() - begin, limit + answer + slack);
    return text;
  }
};

TEST_F(NodeTimeout, ARankThatComesLateToAMeeting) {
  NodeOfRanks node(0, limit);
  ASSERT_TRUE(meet(node));
  node.finish();
  if (rank_ == late_) testing::sleep(limit + answer + 0.5);
  const std::string text = expect_timeout([&] { meet(node); });
  expect_contains(text, "rank 0 waits for all ranks to call test");
  if (rank_ == late_) {
    expect_contains(text, "late");
  } else {
    expect_contains(text, "rank " + std::to_string(late_) + " has not come");
  }
  node.abandon();
}

TEST_F(NodeTimeout, ARankThatNeverReleasesAnImage) {
  NodeOfRanks node(0, limit);
  ASSERT_TRUE(meet(node));
  if (rank_ == late_) testing::sleep(limit + answer + 0.5);
  const std::string text = expect_timeout([&] {
    if (rank_ == late_) {
      meet(node);
    } else {
      node.finish();
    }
  });
  if (rank_ != late_) {
    expect_contains(text, "rank 0 waits for the ranks of its node to read its image in test");
    expect_contains(text, "rank " + std::to_string(late_) + " has not come");
  }
  node.abandon();
}

TEST_F(NodeTimeout, SlowButSteadyIsNoTimeout) {
  // One after the other releases, each within the limit: a wide one, as a loaded machine makes a sleep
  // longer.
  if (p_ > 4) GTEST_SKIP() << "takes seconds";
  const double wide = 6 * limit;
  NodeOfRanks node(0, wide);
  ASSERT_TRUE(meet(node));
  testing::sleep(0.5 * wide * rank_);
  node.finish();
}

TEST_F(NodeTimeout, AnInterruptEndsAWait) {
  class Interrupted : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };
  std::atomic<bool> now = false;
  NodeOfRanks node(0, 60, [&now] {
    if (now) throw Interrupted("interrupted");
  });
  ASSERT_TRUE(meet(node));
  node.finish();
  if (rank_ != late_) {
    now = true;
    const double begin = MPI_Wtime();
    EXPECT_THROW(meet(node), Interrupted);
    EXPECT_LT(MPI_Wtime() - begin, slack);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  // Who comes later does not read images that are gone.
  if (rank_ == late_) expect_contains(expect_timeout([&] { meet(node); }), "late");
  node.abandon();
}

}  // namespace
}  // namespace sortlast
