// Frames that leave late ranks out: who is in them, what they show, and where a late image goes.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::Scene;

constexpr Size size{20, 9};
constexpr Format rgba{Scalar::float32, 4, true};
constexpr double for_ever = std::numeric_limits<double>::infinity();

std::string name_of(int node_ranks) { return "node_ranks " + std::to_string(node_ranks); }

class LateRanks : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{311};
  Scene scene_{p_, rgba, size, random_, false};
  Composition composition_{Op::over, testing::shuffled(p_, random_), {}};
  double deadline_ = 0.05;  // of frames to which all but one rank come at once [s]

  void SetUp() override {
    if (p_ == 1) GTEST_SKIP() << "one rank waits for nobody";
    if (p_ > 2) deadline_ = std::clamp(5 * longest_barrier(), 0.15, 1.5);
  }

  // The busier the machine is, the longer ranks need to come [s].
  static double longest_barrier() {
    double longest = 0;
    for (int i = 0; i < 20; ++i) {
      const double begin = MPI_Wtime();
      MPI_Barrier(MPI_COMM_WORLD);
      longest = std::max(longest, MPI_Wtime() - begin);
    }
    MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
  }

  Options options(int node_ranks, double deadline) const {
    Options options;
    options.node_ranks = node_ranks;
    options.deadline = deadline;
    return options;
  }

  Tile composite(Compositor& compositor) const {
    return compositor.composite(testing::image_of(scene_, rank_), composition_);
  }
  Tile composite_all(Compositor& compositor) const {
    Composition last = composition_;
    last.deadline = for_ever;
    return compositor.composite(testing::image_of(scene_, rank_), last);
  }

  // The oracle of all images but some.
  Frame without(const std::vector<std::int32_t>& left_out) const {
    std::vector<ConstPixels> views(scene_.views().begin(), scene_.views().end());
    for (const std::int32_t rank : left_out) views[static_cast<std::size_t>(rank)] = {};
    return composite_serial(views, size, rgba, Op::over, composition_.order);
  }

  void expect_shows(const Tile& tile, std::int64_t frame, const std::vector<std::int32_t>& left_out) const {
    EXPECT_EQ(tile.frame(), frame);
    EXPECT_EQ(tile.left_out(), left_out);
    scene_.expect_near(tile, without(left_out), testing::tolerance(rgba, Op::over, p_, false));
  }
};

TEST_F(LateRanks, FramesToWhichAllCome) {
  for (const int node_ranks : {0, 1, 2, 3}) {
    SCOPED_TRACE(name_of(node_ranks));
    Compositor compositor(MPI_COMM_WORLD, options(node_ranks, 20));
    for (std::int64_t frame = 1; frame <= 5; ++frame) {
      const Tile tile = composite(compositor);
      expect_shows(tile, frame, {});
      const int root = static_cast<int>(frame) % p_;
      const auto whole = compositor.gather(tile, root, true);
      EXPECT_EQ(whole.has_value(), rank_ == root);
      if (whole) scene_.expect_near(*whole, without({}), testing::tolerance(rgba, Op::over, p_, false));
    }
  }
}

// A frame without a rank has the bits of a compositor of the others alone, and the late rank's image is in
// the frame that is open when it comes.
TEST_F(LateRanks, ALateRankIsLeftOutAndTakesPartInTheNext) {
  for (const int node_ranks : {0, 1, 2, 3}) {
    for (const int late : {p_ - 1, node_ranks == 0 ? 0 : 1}) {
      SCOPED_TRACE(name_of(node_ranks) + ", rank " + std::to_string(late) + " is late");
      Compositor compositor(MPI_COMM_WORLD, options(node_ranks, deadline_));
      MPI_Comm others = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank_ == late ? 1 : 0, rank_, &others);
      if (rank_ != late) {
        for (std::int64_t frame = 1; frame <= 2; ++frame) {
          const Tile tile = composite(compositor);
          expect_shows(tile, frame, {late});
          const int root = late == 0 ? 1 : 0;
          const auto whole = compositor.gather(tile, root, true);
          if (whole)
            scene_.expect_near(*whole, without({late}), testing::tolerance(rgba, Op::over, p_, false));
          expect_contains(error_of<ArgumentError>([&] { compositor.gather(tile, late); }), "was left out of");
        }
      }
      // The late rank comes, and waits for the others.
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank_ != late) testing::sleep(0.1);
      const Tile tile = rank_ == late ? composite(compositor) : composite_all(compositor);
      expect_shows(tile, 3, {});
      MPI_Comm_free(&others);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

TEST_F(LateRanks, TheSameRanksGiveTheSameBits) {
  for (const int node_ranks : {0, 1, 2}) {
    for (const char* const algorithm : {"auto", "direct-send", "binary-swap", "tree"}) {
      SCOPED_TRACE(name_of(node_ranks) + ", " + algorithm);
      Options late = options(node_ranks, deadline_);
      late.algorithm = algorithm;
      Compositor compositor(MPI_COMM_WORLD, late);
      MPI_Comm others = MPI_COMM_NULL;
      MPI_Comm_split(MPI_COMM_WORLD, rank_ == p_ - 1 ? 1 : 0, rank_, &others);
      if (rank_ != p_ - 1) {
        Composition alone = composition_;
        std::erase(alone.order, p_ - 1);
        Options usual;
        usual.node_ranks = node_ranks;
        usual.algorithm = algorithm;
        Compositor of_others(others, usual);
        const ImageView image = testing::image_of(scene_, rank_);
        const Tile expected = of_others.composite(image, alone);
        for (int frame = 0; frame < 2; ++frame) {
          const Tile found = composite(compositor);
          ASSERT_EQ(found.range(), expected.range());
          scene_.expect_same_bits(found.pixels().view(), expected.pixels().view(), found.range().size());
        }
      }
      MPI_Comm_free(&others);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
}

// Whatever the delays, ranks agree on who is in which frame, and a frame shows those.
TEST_F(LateRanks, RandomDelays) {
  constexpr std::int64_t frames = 12;
  for (const int node_ranks : {0, 1, 2, 3}) {
    SCOPED_TRACE(name_of(node_ranks));
    Compositor compositor(MPI_COMM_WORLD, options(node_ranks, 0.004));
    std::mt19937 own(static_cast<unsigned>(1000 * node_ranks + rank_));
    // By frame: 1 + those left out, as bits; 0: this rank was not in it.
    std::vector<std::int64_t> record(frames + 1, 0);
    for (std::int64_t last = 0; last < frames;) {
      if (own() % 3 == 0) testing::sleep(0.001 * static_cast<double>(own() % 12));
      const Tile tile = last + 1 == frames ? composite_all(compositor) : composite(compositor);
      ASSERT_GT(tile.frame(), last);
      ASSERT_LE(tile.frame(), frames);
      last = tile.frame();
      scene_.expect_near(tile, without(tile.left_out()), testing::tolerance(rgba, Op::over, p_, false));
      record[static_cast<std::size_t>(last)] = 1;
      for (const std::int32_t rank : tile.left_out()) {
        EXPECT_NE(rank, rank_);
        record[static_cast<std::size_t>(last)] += std::int64_t{2} << rank;
      }
    }
    EXPECT_EQ(record.back(), 1);
    std::vector<std::int64_t> all(record.size() * static_cast<std::size_t>(p_));
    const auto count = static_cast<int>(record.size());
    MPI_Allgather(record.data(), count, MPI_INT64_T, all.data(), count, MPI_INT64_T, MPI_COMM_WORLD);
    for (std::size_t frame = 1; frame < record.size(); ++frame) {
      for (int rank = 0; rank < p_; ++rank) {
        const std::int64_t told = all[static_cast<std::size_t>(rank) * record.size() + frame];
        if (told == 0 || record[frame] == 0) continue;
        EXPECT_EQ(told, record[frame]) << "of frame " << frame << ", rank " << rank;
      }
      for (int rank = 0; rank < p_ && record[frame] != 0; ++rank) {
        const bool left_out = ((record[frame] - 1) >> rank & 2) != 0;
        EXPECT_EQ(all[static_cast<std::size_t>(rank) * record.size() + frame] == 0, left_out);
      }
    }
  }
}

TEST_F(LateRanks, ArgumentsThatDifferAreToldToTheRanksOfTheFrame) {
  for (const int node_ranks : {0, 1, 2}) {
    SCOPED_TRACE(name_of(node_ranks));
    Compositor compositor(MPI_COMM_WORLD, options(node_ranks, 20));
    for (int again = 0; again < 2; ++again) {
      Composition other = composition_;
      if (rank_ == p_ - 1) other.op = Op::max;
      const std::string text =
          error_of<MismatchError>([&] { compositor.composite(testing::image_of(scene_, rank_), other); });
      expect_contains(text, "op: ");
      testing::expect_same_on_all_ranks(text);
      Composition wrong = composition_;
      wrong.background = {1};
      const std::string problem =
          error_of<ArgumentError>([&] { compositor.composite(testing::image_of(scene_, rank_), wrong); });
      expect_contains(problem, "background has 1 values");
    }
    expect_shows(composite(compositor), 5, {});
  }
}

TEST_F(LateRanks, WhatCannotLeaveRanksOutSaysSo) {
  Compositor compositor(MPI_COMM_WORLD, options(0, 20));
  expect_contains(error_of<ArgumentError>([&] { compositor.composite(std::span<const BoxImage>(), size); }),
                  "one image a rank");
  expect_contains(error_of<ArgumentError>([&] { compositor.composite_fragments({size}); }),
                  "one image a rank");
  Options wrong = options(0, -1);
  expect_contains(error_of<ArgumentError>([&] { Compositor(MPI_COMM_WORLD, wrong); }), "deadline is -1");
  expect_shows(composite(compositor), 1, {});
}

// A rank for which all wait, and that does not come.
TEST_F(LateRanks, TheLimitOfWaitsHolds) {
  Compositor compositor(MPI_COMM_WORLD, options(1, 0.1));
  detail::CompositorAccess::set_timeout(compositor, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ != 0) {
    expect_contains(error_of<TimeoutError>([&] { composite(compositor); }), "rank 0 has not arrived");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace sortlast
