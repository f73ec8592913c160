// Interleaved partitions over MPI: the frames, the ranges that tiles say they hold, and what is chosen.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/rendezvous.hpp"
#include "sortlast/execute/plan/choice.hpp"
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
      Compositor compositor = testing::compositor_with(
          {.chunk_bytes = 1 << 13, .sparse = sparse, .layout = FrameLayout::interleaved},
          {.algorithm = entry.name, .ring = testing::shuffled(p_, random_), .node_ranks = node_ranks});
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
  Compositor compositor = testing::compositor_with({.layout = FrameLayout::interleaved});
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
  const auto most_received = [&](FrameLayout layout) {
    Compositor compositor =
        testing::compositor_with({.layout = layout}, {.algorithm = "direct-send", .node_ranks = 1});
    compositor.composite(testing::image_of(scene, rank_));
    std::int64_t received = compositor.timing().bytes_received;
    MPI_Allreduce(MPI_IN_PLACE, &received, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return received;
  };
  EXPECT_LT(2 * most_received(FrameLayout::interleaved), most_received(FrameLayout::contiguous));
}

// A tile of thousands of ranges travels in few messages; more of them than are posted at once for two ranks.
TEST_F(InterleavedFrames, AreGatheredInFewMessages) {
  const Size size{1024, p_ == 2 ? std::int64_t{1} << 14 : 777};
  std::vector<std::uint8_t> image(static_cast<std::size_t>(size.pixels()) * 4);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = static_cast<std::uint8_t>(i * 2654435761 >> 13);
  Compositor compositor =
      testing::compositor_with({.sparse = false, .layout = FrameLayout::interleaved}, {.algorithm = "shift"});
  const Tile tile = compositor.composite(image_view<std::uint8_t>(image, size), {Op::max, {}, {}});
  const Timing before = compositor.timing();
  const auto frame = compositor.gather(tile, p_ - 1);
  if (!frame) return;
  EXPECT_TRUE(std::equal(image.begin(), image.end(), frame->colour<std::uint8_t>().begin()));
  const std::int64_t bytes = compositor.timing().bytes_received - before.bytes_received;
  EXPECT_EQ(bytes, (size.pixels() - tile.range().size()) * 4);
  EXPECT_LE(compositor.timing().messages_received - before.messages_received, bytes / (1 << 18) + p_);
}

// Of images that are half empty or more, gathered at a known root, between nodes; the same bits either way.
TEST_F(InterleavedFrames, AreChosenByOneRule) {
  const Size size{64, std::int64_t{16} * p_};
  Scene dense(p_, {}, size, random_, false);
  Scene sparse(p_, {}, size, random_, false);
  for (int rank = 0; rank < p_; ++rank) {
    auto& colour = sparse.image(static_cast<std::size_t>(rank)).colour;
    std::fill(colour.begin() + static_cast<std::ptrdiff_t>(colour.size() / 3), colour.end(), std::byte{0});
  }
  for (const int node_ranks : {0, 1, 2}) {
    for (const bool check : {true, false}) {
      Compositor compositor(MPI_COMM_WORLD,
                            {.algorithm = "direct-send", .node_ranks = node_ranks, .check = check});
      const bool between = node_ranks > 0 && p_ > node_ranks;
      for (const bool half_empty : {true, false}) {
        for (const int root : {-1, p_ - 1}) {
          SCOPED_TRACE(::testing::Message() << "node_ranks " << node_ranks << ", check " << check
                                            << ", half empty " << half_empty << ", root " << root);
          const Scene& scene = half_empty ? sparse : dense;
          Composition composition;
          composition.root = root;
          const Tile tile = compositor.composite(testing::image_of(scene, rank_), composition);
          const bool dealt = between && check && half_empty && root >= 0;
          EXPECT_EQ(tile.contiguous(), !dealt);
          EXPECT_EQ(compositor.explain().find("dealt out in blocks") != std::string::npos, dealt);
          const auto frame = compositor.gather(tile, p_ - 1);
          ASSERT_EQ(frame.has_value(), rank_ == p_ - 1);
          const Frame expected = execute_serial(*tile.schedule(), scene.views(), size, {}, Op::over, 1, {},
                                                detail::TileAccess::data(tile).interleaving);
          if (frame) scene.expect_same_bits(*frame, expected);
        }
      }
    }
  }
}

// One dense image is enough.
TEST_F(InterleavedFrames, AreNotChosenIfOneImageIsDense) {
  if (p_ == 1) GTEST_SKIP() << "one rank deals out nothing";
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "direct-send", .node_ranks = 1});
  const Size size{64, std::int64_t{16} * p_};
  const Scene scene(p_, {}, size, random_, false);
  Composition composition;
  composition.root = 0;
  const ImageView image =
      rank_ == p_ - 1 ? testing::image_of(scene, rank_) : ImageView::none(size, scene.format());
  EXPECT_TRUE(compositor.composite(image, composition).contiguous());
  // A frame that begins before all ranks have arrived is planned with the numbers of the one before.
  compositor.composite(ImageView::none(size, scene.format()), composition);
  EXPECT_FALSE(compositor.composite(ImageView::none(size, scene.format()), composition).contiguous());
}

TEST_F(InterleavedFrames, AreToldOf) {
  Compositor compositor =
      testing::compositor_with({.layout = FrameLayout::interleaved}, {.algorithm = "shift"});
  const Scene scene(p_, {}, {64, std::int64_t{8} * p_}, random_, false);
  compositor.composite(testing::image_of(scene, rank_));
  const std::string told = "The image was dealt out in blocks of 64 pixels.";
  if (p_ > 1)
    expect_contains(compositor.explain(), told);
  else
    EXPECT_EQ(compositor.explain().find(told), std::string::npos);
}

TEST_F(InterleavedFrames, AreGatheredAtOneRoot) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Scene scene(p_, {}, {64, 8}, random_, false);
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20});
  Composition composition;
  composition.root = rank_ == 0 ? -1 : 0;
  const std::string text = testing::error_of<MismatchError>(
      [&] { compositor.composite(testing::image_of(scene, rank_), composition); });
  expect_contains(text, "root: -1 on rank 0; 0 on rank");
}

TEST(Comparison, HasTheLeastNumberOfAllRanks) {
  const Communicator comm = duplicate(MPI_COMM_WORLD, 20, "test");
  const Alarm alarm(comm, 20, {});
  const int p = testing::world_size();
  const int rank = testing::world_rank();
  const Numbers mine{static_cast<std::uint64_t>(rank) + 5};
  Comparison comparison(comm, alarm, "composite", 77, mine);
  comparison.wait();
  EXPECT_TRUE(comparison.same());
  EXPECT_EQ(comparison.numbers().least, 5U);
  Comparison of_two(comm, alarm, "composite", rank == p - 1 ? 78 : 77, mine);
  of_two.wait();
  EXPECT_EQ(of_two.same(), p == 1);
}

}  // namespace
}  // namespace sortlast
