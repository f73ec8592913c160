// Visibility order over MPI: every rank gets the order of all boxes, or the same error.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mpi/ranks.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast {
namespace {

TEST(VisibilityOverMpi, ARowOfBoxes) {
  const int p = testing::world_size();
  const double rank = testing::world_rank();
  const Box box{{rank, 0, 0}, {rank + 1, 1, 1}};
  std::vector<std::int32_t> rising(static_cast<std::size_t>(p));
  std::iota(rising.begin(), rising.end(), 0);
  const std::vector<std::int32_t> falling(rising.rbegin(), rising.rend());
  EXPECT_EQ(visibility_order(MPI_COMM_WORLD, box, {{-5, 0.5, 0.5}, false}), rising);
  EXPECT_EQ(visibility_order(MPI_COMM_WORLD, box, {{p + 5.0, 0.5, 0.5}, false}), falling);
  EXPECT_EQ(visibility_order(MPI_COMM_WORLD, box, {{-1, 0, 0}, true}), falling);
}

TEST(VisibilityOverMpi, RanksWithoutDataComeLast) {
  const int p = testing::world_size();
  const double rank = testing::world_rank();
  Box box{{-rank, 0, 0}, {1 - rank, 1, 1}};
  if (testing::world_rank() == p - 1) box = {{1, 1, 1}, {0, 0, 0}};
  std::vector<std::int32_t> expected(static_cast<std::size_t>(p));
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(visibility_order(MPI_COMM_WORLD, box, {{5, 0.5, 0.5}, false}), expected);
}

TEST(VisibilityOverMpi, ViewpointsThatDifferAreTheSameErrorOnEveryRank) {
  if (testing::world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const double rank = testing::world_rank();
  const Viewpoint viewpoint{{rank == 1 ? 7.0 : 5.0, 0, 0}, false};
  const std::string text = testing::error_of<MismatchError>(
      [&] { visibility_order(MPI_COMM_WORLD, {{rank, 0, 0}, {rank + 1, 1, 1}}, viewpoint); });
  testing::expect_contains(text, "eye (5, 0, 0) on rank 0");
  testing::expect_contains(text, "eye (7, 0, 0) on rank 1");
  testing::expect_same_on_all_ranks(text);
}

TEST(VisibilityOverMpi, ADifferenceInTheLastBitIsShown) {
  if (testing::world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const double x = testing::world_rank() == 1 ? std::nextafter(9.0, 10.0) : 9.0;
  const std::string text = testing::error_of<MismatchError>(
      [&] { visibility_order(MPI_COMM_WORLD, {{0, 0, 0}, {1, 1, 1}}, {{x, 0, 0}, false}); });
  testing::expect_contains(text, "eye (9, 0, 0) on rank 0; eye (9.000000000000002, 0, 0) on rank 1");
}

TEST(VisibilityOverMpi, CoordinatesThatAreNotFiniteAreTheSameErrorOnEveryRank) {
  const double rank = testing::world_rank();
  const int wrong = testing::world_size() - 1;
  const double value = testing::world_rank() == wrong ? std::numeric_limits<double>::quiet_NaN() : 0;
  std::string text = testing::error_of<ArgumentError>(
      [&] { visibility_order(MPI_COMM_WORLD, {{rank, 0, value}, {rank + 1, 1, 1}}, {{5, 0, 0}, false}); });
  testing::expect_contains(
      text, "the box of rank " + std::to_string(wrong) + " has a coordinate that is not finite");
  testing::expect_same_on_all_ranks(text);
  text = testing::error_of<ArgumentError>(
      [&] { visibility_order(MPI_COMM_WORLD, {{rank, 0, 0}, {rank + 1, 1, 1}}, {{5, value, 0}, false}); });
  testing::expect_contains(text, "nan, 0) on rank " + std::to_string(wrong));
  testing::expect_same_on_all_ranks(text);
}

TEST(VisibilityOverMpi, OverlapIsTheSameErrorOnEveryRank) {
  if (testing::world_size() == 1) GTEST_SKIP() << "one box overlaps with nothing";
  const double low = testing::world_rank() == 0 ? 0 : testing::world_rank() - 0.5;
  const Box box{{low, 0, 0}, {testing::world_rank() + 0.5, 1, 1}};
  const std::string text = testing::error_of<ArgumentError>(
      [&] { visibility_order(MPI_COMM_WORLD, {box.low, {box.high[0] + 1, 1, 1}}, {{-5, 0, 0}, false}); });
  testing::expect_contains(text, "ranks 0 and 1 overlap");
  testing::expect_same_on_all_ranks(text);
}

// A rank that comes late: an error of all of them, and then it works again.
TEST(VisibilityOverMpi, KeepsALimit) {
  const int p = testing::world_size();
  if (p == 1) GTEST_SKIP() << "one rank waits for nobody";
  const bool late = testing::world_rank() == p - 1;
  const double rank = testing::world_rank();
  const Box box{{rank, 0, 0}, {rank + 1, 1, 1}};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; round < 3; ++round) {
    // In the first round there is no duplicate of the communicator yet.
    if (late) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
    const std::string text =
        testing::error_of<TimeoutError>([&] { visibility_order(comm, box, {{-5, 0, 0}, false}, 0.3); });
    if (round > 0) testing::expect_contains(text, "visibility_order");
    if (!late) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(visibility_order(comm, box, {{-5, 0.5, 0.5}, false}).front(), 0);
  }
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

// Whatever the type of what the callback throws, the others learn of it, and the next call works.
TEST(VisibilityOverMpi, AnInterruptIsNoErrorOfAllRanks) {
  const int p = testing::world_size();
  if (p == 1) GTEST_SKIP() << "one rank waits for nobody";
  const double rank = testing::world_rank();
  const int failing = p - 1;
  const Box box{{rank, 0, 0}, {rank + 1, 1, 1}};
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(visibility_order(comm, box, {{-5, 0.5, 0.5}, false}).front(), 0);
    if (testing::world_rank() == failing) {
      testing::error_of<ArgumentError>([&] {
        detail::CompositorAccess::visibility_order(comm, box, {{-5, 0, 0}, false}, 60, "",
                                                   [] { throw ArgumentError("a signal"); });
      });
      MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } else {
      if (testing::world_rank() == 0)
        MPI_Recv(nullptr, 0, MPI_BYTE, failing, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      testing::expect_contains(
          testing::error_of<RemoteError>([&] { visibility_order(comm, box, {{-5, 0, 0}, false}); }),
          "rank " + std::to_string(failing) + " gave up: a signal");
    }
    MPI_Barrier(comm);
  }
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace sortlast
