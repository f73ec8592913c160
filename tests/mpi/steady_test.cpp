// Steady state: after a few frames of a kind, the next ones ask nothing of MPI but messages and one reduction
// a call, nothing of the kernel, and of the heap a block now and then: how much is under way at once depends
// on who is late.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <memory>

#include "mpi/calls.hpp"
#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Calls;
using testing::Scene;

constexpr int warm_up = 3;
constexpr int frames = 20;
constexpr int now_and_then = frames / 2;

class Steady : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{111};

  // What `frames` frames ask for after the first few.
  Calls run(const Options& options, const std::vector<Scene>& scenes, bool gather,
            const Internals& internals = {}) const {
    Compositor compositor = testing::compositor_with(internals, options);
    Calls before;
    for (int frame = 0; frame < warm_up + frames; ++frame) {
      if (frame == warm_up) before = testing::calls_so_far();
      const Scene& scene = scenes[static_cast<std::size_t>(frame) % scenes.size()];
      const Tile tile = compositor.composite(testing::image_of(scene, rank_));
      if (gather) compositor.gather(tile, 0, scene.format().depth);
    }
    const Calls after = testing::calls_so_far();
    return {after.reductions - before.reductions,
            after.reduced_bytes - before.reduced_bytes,
            after.collectives - before.collectives,
            after.communicators - before.communicators,
            after.freed - before.freed,
            after.windows - before.windows,
            after.blocks - before.blocks,
            after.segments - before.segments,
            after.huge_planes - before.huge_planes};
  }
};

TEST_F(Steady, FramesAskForNothingNew) {
  for (const Format& format : {Format{Scalar::float32, 4, false}, Format{Scalar::uint8, 4, true}}) {
    std::vector<Scene> scenes;
    scenes.emplace_back(p_, format, Size{120, 90}, random_, false);
    for (const AlgorithmEntry& entry : algorithms()) {
      for (const int node_ranks : {0, 1, 2}) {
        SCOPED_TRACE(entry.name + ", " + std::to_string(node_ranks) + " ranks a node, " +
                     format_name(format));
        const Calls calls =
            run({.algorithm = entry.name, .node_ranks = node_ranks}, scenes, true, {.chunk_bytes = 1 << 14});
        EXPECT_EQ(calls.communicators, 0);
        EXPECT_EQ(calls.windows, 0);
        EXPECT_EQ(calls.collectives, 0);
        EXPECT_LE(calls.blocks, now_and_then);
        EXPECT_EQ(calls.segments, 0);
      }
    }
  }
}

TEST_F(Steady, ImagesThatChangeAskForNothingNew) {
  std::vector<Scene> scenes;
  for (int i = 0; i < 3; ++i) {
    Scene scene(p_, {Scalar::float32, 4, true}, {120, 90}, random_, false);
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(p_); ++rank)
      draw_only(scene, rank, testing::all_drawn[random_() % std::size(testing::all_drawn)], random_);
    scenes.push_back(std::move(scene));
  }
  for (const std::string algorithm : {"shift", "radix-k", "tree"}) {
    SCOPED_TRACE(algorithm);
    EXPECT_LE(run({.algorithm = algorithm, .node_ranks = 1}, scenes, false).blocks, now_and_then);
  }
}

TEST_F(Steady, ACheckIsOneReduction) {
  std::vector<Scene> scenes;
  scenes.emplace_back(p_, Format{}, Size{20, 10}, random_, false);
  const std::int64_t one = p_ > 1 ? 1 : 0;
  for (const bool gather : {false, true}) {
    const std::int64_t calls = std::int64_t{frames} * (gather ? 2 : 1);
    // Ranks that all share a machine look at each other's hashes there, checked or not.
    EXPECT_EQ(run({.node_ranks = 1}, scenes, gather).reductions, one * calls);
    EXPECT_EQ(run({.node_ranks = 1, .check = false}, scenes, gather).reductions, 0);
    EXPECT_EQ(run({.node_ranks = 0}, scenes, gather).reductions, 0);
    EXPECT_EQ(run({.node_ranks = 0, .check = false}, scenes, gather).reductions, 0);
    if (p_ > 2) {
      EXPECT_EQ(run({.node_ranks = 2}, scenes, gather).reductions, calls);
      EXPECT_EQ(run({.node_ranks = 2, .check = false}, scenes, gather).reductions, 0);
    }
  }
}

// What networks carry at once: every reduction has 64 bytes at most, also with what auto chooses from.
TEST_F(Steady, AReductionIsSmall) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  std::vector<Scene> scenes;
  scenes.emplace_back(p_, Format{}, Size{20, 10}, random_, false);
  for (const FrameLayout layout :
       {FrameLayout::contiguous, FrameLayout::interleaved, FrameLayout::automatic}) {
    const Calls calls = run({.node_ranks = 1}, scenes, true, {.layout = layout});
    EXPECT_GT(calls.reduced_bytes, 0);
    EXPECT_LE(calls.reduced_bytes, 64 * calls.reductions);
  }
}

TEST_F(Steady, CompositorsShareTheirThreads) {
  const auto threads_here = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
  };
  const Scene scene(p_, {}, {64, 64}, random_, false);
  const auto before = threads_here();
  std::vector<std::unique_ptr<Compositor>> many;
  for (int i = 0; i < 6; ++i) {
    many.push_back(std::make_unique<Compositor>(MPI_COMM_WORLD, Options{.threads = 4}));
    many.back()->composite(testing::image_of(scene, rank_));
  }
  EXPECT_LE(threads_here(), before + 3);
}

// Without a check, ranks that share a machine still see that they disagree.
TEST_F(Steady, RanksOfOneMachineAlwaysCheck) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Scene scene(p_, {}, {20, 10}, random_, false);
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .check = false});
  ImageView image = testing::image_of(scene, rank_);
  if (rank_ == p_ - 1) image.size = {10, 10};
  EXPECT_THROW(compositor.composite(image), MismatchError);
  EXPECT_EQ(compositor.composite(testing::image_of(scene, rank_)).size(), scene.size());
}

}  // namespace
}  // namespace sortlast
