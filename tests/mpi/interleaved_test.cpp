// Interleaved partitions over MPI: the frames, the ranges that tiles say they hold, and what is chosen.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/plan/choice.hpp"
#include "sortlast/execute/run/tile.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::expect_contains;
using testing::Scene;

class InterleavedFrames : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{151};

  // Every rank has drawn something else; `boxes` are rectangles that hold it.
  Scene sparse_scene(const Format& format, Size size, std::vector<Rectangle>& boxes) {
    Scene scene(p_, format, size, random_, random_() % 3 == 0);
    boxes.clear();
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(p_); ++rank)
      boxes.push_back(
          draw_only(scene, rank, testing::all_drawn[random_() % std::size(testing::all_drawn)], random_));
    return scene;
  }

  // The tile's pixels against those of a whole frame, where it says that they lie.
  static void expect_same_bits(const Scene& scene, const Tile& tile, const Frame& frame) {
    std::int64_t first = 0;
    for (const Range lies : tile.ranges()) {
      scene.expect_same_bits(advance(ConstPixels(tile.pixels().view()), tile.format(), first),
                             advance(ConstPixels(frame.pixels.view()), tile.format(), lies.begin),
                             lies.size());
      first += lies.size();
    }
    EXPECT_EQ(first, tile.range().size());
  }
};

TEST_F(InterleavedFrames, HaveTheBitsOfTheSerialExecutor) {
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const int node_ranks : {0, 1, 2}) {
      const bool sparse = random_() % 3 != 0;
      Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name,
                                             .ring = testing::shuffled(p_, random_),
                                             .node_ranks = node_ranks,
                                             .sparse = sparse,
                                             .chunk_bytes = 1 << 13,
                                             .partition = Partition::interleaved});
      for (const auto& [format, op] : testing::cases()) {
        if (random_() % 4 != 0) continue;
        SCOPED_TRACE(entry.name + " " + format_name(format) + " " + std::string(op_name(op)) + ", nodes of " +
                     std::to_string(node_ranks));
        // Up to a few blocks a rank, and less than are dealt out.
        const Size size{1 + static_cast<std::int64_t>(random_() % 97),
                        1 + static_cast<std::int64_t>(random_() % 99)};
        std::vector<Rectangle> boxes;
        const Scene scene = sparse_scene(format, size, boxes);
        const std::vector<std::int32_t> order = testing::shuffled(p_, random_);
        ImageView image = testing::image_of(scene, rank_);
        if (random_() % 2 == 0) image.bounds = boxes[static_cast<std::size_t>(rank_)];
        const Tile tile = compositor.composite(image, {op, order, {}});
        EXPECT_EQ(detail::TileAccess::data(tile).interleaving, Interleaving(size.pixels(), p_));
        EXPECT_EQ(detail::TileAccess::data(tile).shared && !tile.contiguous(), false);

        const Frame expected = execute_serial(*tile.schedule(), scene.views(), size, format, op, 1, {},
                                              detail::TileAccess::data(tile).interleaving);
        expect_same_bits(scene, tile, expected);
        const int root = static_cast<int>(random_() % static_cast<unsigned>(p_));
        const auto frame = compositor.gather(tile, root, format.depth);
        EXPECT_EQ(frame.has_value(), rank_ == root);
        if (frame) scene.expect_same_bits(*frame, expected);
        ASSERT_FALSE(HasFailure());
      }
    }
  }
}

TEST_F(InterleavedFrames, GoBehindABackground) {
  const Format format{Scalar::uint8, 4, true};
  const Size size{67, 83};
  std::vector<Rectangle> boxes;
  const Scene scene = sparse_scene(format, size, boxes);
  const std::vector<float> background{0.25F, 0.5F, 0.75F, 1.0F};
  const Frame oracle = composite_serial(scene.views(), size, format, Op::over, {}, background);
  Compositor compositor(MPI_COMM_WORLD, {.partition = Partition::interleaved});
  const Tile tile = compositor.composite(testing::image_of(scene, rank_), {Op::over, {}, background});
  const auto frame = compositor.gather(tile, p_ - 1, true);
  if (frame) scene.expect_near(*frame, oracle, 2);
}

TEST_F(InterleavedFrames, ReceiveEvenlyWhatIsDrawnInTheMiddle) {
  if (p_ < 5) GTEST_SKIP() << "the middle is shared by more than half of the pieces of fewer ranks";
  // Every rank has drawn the middle quarter of the rows.
  const Size size{256, std::int64_t{16} * p_};
  Scene scene(p_, {}, size, random_, false);
  const std::size_t eighth = scene.image(0).colour.size() / 8;
  for (int rank = 0; rank < p_; ++rank) {
    auto& colour = scene.image(static_cast<std::size_t>(rank)).colour;
    for (std::size_t i = 0; i < colour.size(); ++i)
      if (i < 3 * eighth || i >= 5 * eighth) colour[i] = std::byte{0};
  }
  const auto most_received = [&](Partition partition) {
    Compositor compositor(MPI_COMM_WORLD,
                          {.algorithm = "direct-send", .node_ranks = 1, .partition = partition});
    compositor.composite(testing::image_of(scene, rank_));
    std::int64_t received = compositor.timing().bytes_received;
    MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return received;
  };
  EXPECT_LT(2 * most_received(Partition::interleaved), most_received(Partition::contiguous));
}

// A tile of thousands of ranges travels in few messages; more of them than are posted at once for two ranks.
TEST_F(InterleavedFrames, AreGatheredInFewMessages) {
  const Size size{1024, p_ == 2 ? std::int64_t{1} << 14 : 777};
  std::vector<std::uint8_t> image(static_cast<std::size_t>(size.pixels()) * 4);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(i * 2654435761 >> 13);
  Compositor compositor(MPI_COMM_WORLD,
                        {.algorithm = "shift", .sparse = false, .partition = Partition::interleaved});
  const Tile tile = compositor.composite(image_view<std::uint8_t>(image, size), {Op::max, {}, {}});
  const Timing before = compositor.timing();
  const auto frame = compositor.gather(tile, p_ - 1);
  if (!frame) return;
  EXPECT_TRUE(std::equal(image.begin(), image.end(), frame->colour<std::uint8_t>().begin()));
  const std::int64_t bytes = compositor.timing().bytes_received - before.bytes_received;
  EXPECT_EQ(bytes, (size.pixels() - tile.range().size()) * 4);
  EXPECT_LE(compositor.timing().messages_received - before.messages_received, bytes / (1 << 18) + p_);
}

TEST_F(InterleavedFrames, AreNotChosenOnOneMachine) {
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks, .partition = Partition::automatic});
    Scene scene(p_, {}, {64, 96}, random_, false);
    draw_only(scene, static_cast<std::size_t>(rank_), testing::Drawn::block, random_);
    const Tile tile = compositor.composite(testing::image_of(scene, rank_));
    EXPECT_TRUE(tile.contiguous());
    EXPECT_EQ(compositor.explain().find("dealt out"), std::string::npos);
    const auto frame = compositor.gather(tile);
    EXPECT_EQ(frame.has_value(), rank_ == 0);
  }
}

TEST_F(InterleavedFrames, AreToldOf) {
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "shift", .partition = Partition::interleaved});
  const Scene scene(p_, {}, {64, std::int64_t{8} * p_}, random_, false);
  compositor.composite(testing::image_of(scene, rank_));
  const std::string told = "The image was dealt out in blocks of 64 pixels.";
  if (p_ > 1)
    expect_contains(compositor.explain(), told);
  else
    EXPECT_EQ(compositor.explain().find(told), std::string::npos);
}

TEST_F(InterleavedFrames, MustBeWantedByAllRanks) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Partition partition = rank_ == 0 ? Partition::automatic : Partition::interleaved;
  const std::string text = testing::error_of<MismatchError>(
      [&] { Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .partition = partition}); });
  expect_contains(text, "partition: auto on rank 0; interleaved on rank");
}

TEST(CoverageAgreement, SumsTheCoverageOfAllRanks) {
  const Communicator comm = duplicate(MPI_COMM_WORLD, 20, "test");
  const Alarm alarm(comm, 20, {});
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  Coverage coverage{};
  for (std::size_t i = 0; i < coverage.size(); ++i)
    coverage[i] = (1U << 20) * static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(rank);
  const Numbers mine{static_cast<std::uint64_t>(rank) + 5, coverage};
  Comparison comparison(comm, alarm, "composite", 77, mine);
  comparison.wait();
  EXPECT_TRUE(comparison.same());
  const Numbers all = comparison.numbers();
  EXPECT_EQ(all.least, 5U);
  ASSERT_TRUE(all.coverage);
  const auto count = static_cast<std::uint32_t>(p);
  for (std::size_t i = 0; i < coverage.size(); ++i)
    EXPECT_EQ(all.coverage->at(i),
              (1U << 20) * static_cast<std::uint32_t>(i) * count + count * (count - 1) / 2);
  Comparison of_two(comm, alarm, "composite", rank == p - 1 ? 78 : 77, mine);
  of_two.wait();
  EXPECT_EQ(of_two.same(), p == 1);
}

}  // namespace
}  // namespace sortlast
