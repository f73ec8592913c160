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

constexpr double limit = 1;  // while others wait for the late rank; 60 otherwise [s]

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
  // The error of an action that the late rank begins when the others have given up theirs.
  std::string expect_timeout(NodeOfRanks& node, const std::function<void()>& action) const {
    node.set_limit(limit);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == late_) MPI_Barrier(MPI_COMM_WORLD);
    const std::string text = error_of<TimeoutError>(action);
    if (rank_ != late_) MPI_Barrier(MPI_COMM_WORLD);
    return text;
  }
};

TEST_F(NodeTimeout, ARankThatComesLateToAMeeting) {
  NodeOfRanks node;
  ASSERT_TRUE(meet(node));
  node.finish();
  const std::string text = expect_timeout(node, [&] { meet(node); });
  expect_contains(text, "rank 0 waits for all ranks to call test");
  if (rank_ == late_) {
    expect_contains(text, "late");
  } else {
    expect_contains(text, "rank " + std::to_string(late_) + " has not arrived");
  }
  node.abandon();
}

TEST_F(NodeTimeout, ARankThatNeverReleasesAnImage) {
  NodeOfRanks node;
  ASSERT_TRUE(meet(node));
  const std::string text = expect_timeout(node, [&] {
    if (rank_ == late_) {
      meet(node);
    } else {
      node.finish();
    }
  });
  if (rank_ != late_) {
    expect_contains(text, "rank 0 waits for the ranks of its node to read its image in test");
    expect_contains(text, "rank " + std::to_string(late_) + " has not arrived");
  }
  node.abandon();
}

TEST_F(NodeTimeout, SlowButSteadyIsNoTimeout) {
  // One after the other releases, each within the limit, and the last after it.
  if (p_ != 3) GTEST_SKIP() << "takes seconds";
  constexpr double wide = 5;
  NodeOfRanks node;
  ASSERT_TRUE(meet(node));
  node.set_limit(wide);
  testing::sleep(0.6 * wide * rank_);
  node.finish();
}

TEST_F(NodeTimeout, AnInterruptEndsAWait) {
  class Interrupted : public std::runtime_error {
   public:
    using std::runtime_error::runtime_error;
  };
  std::atomic<bool> now = false;
  NodeOfRanks node(0, [&now] {
    if (now) throw Interrupted("interrupted");
  });
  ASSERT_TRUE(meet(node));
  node.finish();
  if (rank_ != late_) {
    now = true;
    EXPECT_THROW(meet(node), Interrupted);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  // Who comes later does not read images that are gone.
  if (rank_ == late_) expect_contains(error_of<TimeoutError>([&] { meet(node); }), "late");
  node.abandon();
}

}  // namespace
}  // namespace sortlast
