// The same frames again: the same bits whatever the delays, and tiles that stay as they were.
#include <gtest/gtest.h>
#include <malloc.h>

#include <memory>
#include <optional>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::Scene;

// The schedule that the compositor ran is executed serially for the bits to expect.
TEST(Repeat, DelaysNeverChangeABit) {
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  std::mt19937 random(71);
  std::mt19937 delays(static_cast<unsigned>(rank));  // other delays on every rank
  const Scene scene(p, {Scalar::float32, 4, true}, {61, 13}, random, true);
  const std::vector<std::int32_t> order = testing::shuffled(p, random);
  for (const int node_ranks : {1, 2, 0}) {
    for (const std::string& name : testing::algorithm_names()) {
      SCOPED_TRACE(name + ", " + std::to_string(node_ranks) + " ranks a node");
      Compositor compositor(MPI_COMM_WORLD, {.algorithm = name, .node_ranks = node_ranks});
      std::optional<Frame> expected;
      for (int frame = 0; frame < 6; ++frame) {
        // Late ranks, and messages that overtake each other.
        const testing::BeforeSends slow([&] {
          if (delays() % 4 == 0) testing::sleep(1e-6 * static_cast<double>(delays() % 2000));
        });
        if (delays() % 3 == 0) testing::sleep(1e-6 * static_cast<double>(delays() % 5000));
        const Tile tile = compositor.composite(testing::image_of(scene, rank), {Op::over, order, {}});
        if (!expected)
          expected = execute_serial(*tile.schedule(), scene.views(), scene.size(), scene.format(), Op::over);
        scene.expect_same_bits(tile.pixels().view(),
                               advance(expected->pixels.view(), scene.format(), tile.range().begin),
                               tile.range().size());
        const auto whole = compositor.gather(tile, frame % p, true);
        if (whole) scene.expect_same_bits(*whole, *expected);
      }
    }
  }
}

TEST(Repeat, TilesOfEarlierFramesStay) {
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  std::mt19937 random(72);
  for (const std::string& name : testing::algorithm_names()) {
    const int node_ranks = static_cast<int>(random() % 4);
    SCOPED_TRACE(name + ", " + std::to_string(node_ranks) + " ranks a node");
    auto compositor =
        std::make_unique<Compositor>(MPI_COMM_WORLD, Options{.algorithm = name, .node_ranks = node_ranks});
    std::vector<Scene> scenes;
    std::vector<Tile> tiles;
    for (int frame = 0; frame < 5; ++frame) {
      scenes.emplace_back(p, Format{Scalar::float16, 4, true}, Size{31, 9}, random, false);
      tiles.push_back(compositor->composite(testing::image_of(scenes.back(), rank), {Op::closest, {}, {}}));
    }
    // Frames are gathered last first, and the tiles outlive their compositor.
    for (std::size_t frame = tiles.size(); frame-- > 0;) {
      const auto whole = compositor->gather(tiles[frame], 0, true);
      const Scene& scene = scenes[frame];
      const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), Op::closest);
      if (whole) scene.expect_same_bits(*whole, oracle);
      if (frame == 0) compositor.reset();
      scene.expect_near(tiles[frame], oracle, 0);
    }
  }
}

// What a root keeps is not overwritten by the frames that follow, though it lies in memory of its whole node.
TEST(Repeat, GatheredFramesStay) {
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  std::mt19937 random(74);
  for (const int node_ranks : {0, 1, 2, 3}) {
    SCOPED_TRACE(std::to_string(node_ranks) + " ranks a node");
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = node_ranks});
    std::vector<std::optional<Frame>> kept;
    std::vector<Frame> oracles;
    for (int frame = 0; frame < 8; ++frame) {
      const Scene scene(p, {Scalar::uint8, 4, true}, {40, 30}, random, false);
      oracles.push_back(composite_serial(scene.views(), scene.size(), scene.format(), Op::closest));
      const Tile tile = compositor.composite(testing::image_of(scene, rank), {Op::closest, {}, {}});
      const int root = frame % p;
      kept.push_back(compositor.gather(tile, root, true));
      // A second time, and for somebody else.
      kept.push_back(compositor.gather(tile, root, true));
      kept.push_back(compositor.gather(tile, (root + 1) % p, true));
      for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) scene.expect_same_bits(*kept[i], oracles[i / 3]);
      }
    }
  }
}

// On one machine a rank knows how long it waited for later ones. Elsewhere the time is 0.
TEST(Repeat, TimeSpentWaitingForLaterRanks) {
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  if (p == 1) GTEST_SKIP() << "one rank waits for nobody";
  std::mt19937 random(75);
  const Scene scene(p, {}, {16, 16}, random, false);
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    compositor.composite(testing::image_of(scene, rank));
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) testing::sleep(1);
    compositor.composite(testing::image_of(scene, rank));
    const Timing& timing = compositor.timing();
    EXPECT_LE(timing.late, timing.agree);
    if (node_ranks == 1 || rank == 0) {
      EXPECT_LT(timing.late, 0.5);
    } else {
      EXPECT_GT(timing.late, 0.5);
    }
  }
}

// What a frame keeps, every frame would. MPI may take more for itself at any time, but not all the time.
TEST(Repeat, MemoryIsUsedAgain) {
  const int p = testing::world_size();
  std::mt19937 random(73);
  const Scene scene(p, {}, {256, 64}, random, false);
  const auto image_bytes = static_cast<std::size_t>(scene.size().pixels()) * 16;
  const auto in_use = [] {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  for (const std::string& name : testing::algorithm_names()) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = name});
    const auto show = [&](int frames) {
      for (int frame = 0; frame < frames; ++frame)
        compositor.gather(compositor.composite(testing::image_of(scene, testing::world_rank())));
    };
    show(5);
    int grows = 1;
    for (int round = 0; round < 4 && grows != 0; ++round) {
      const std::size_t before = in_use();
      show(35);
      grows = in_use() < before + 2 * image_bytes ? 0 : 1;
      MPI_Allreduce(MPI_IN_PLACE, &grows, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    }
    EXPECT_EQ(grows, 0) << name;
  }
}

}  // namespace
}  // namespace sortlast
