// Bounds of what a rank has drawn: wrong ones are every rank's error, and right ones save reads and bytes.
#include <gtest/gtest.h>

#include <limits>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_same_on_all_ranks;
using testing::Scene;

class Bounds : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{101};
  Scene scene_{p_, {}, {12, 8}, random_, false};

  ImageView image() const { return testing::image_of(scene_, rank_); }
};

TEST_F(Bounds, OutsideTheImageAreRefused) {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  const Rectangle wrong[] = {{-1, 0, 5, 5}, {0, -1, 5, 5}, {0, 0, 13, 8},      {0, 0, 12, 9},
                             {6, 0, 5, 5},  {0, 6, 5, 5},  {0, 0, huge, huge}, {-huge, -huge, 12, 8}};
  for (const int node_ranks : {0, 1}) {
    Compositor compositor(MPI_COMM_WORLD, {.timeout = 20, .node_ranks = node_ranks});
    for (const Rectangle& bounds : wrong) {
      for (const int odd : {0, p_ - 1}) {
        ImageView image = this->image();
        if (rank_ == odd) image.bounds = bounds;
        const auto call = [&] { compositor.composite(image); };
        const std::string text = p_ == 1 ? error_of<ArgumentError>(call) : error_of<MismatchError>(call);
        expect_contains(text,
                        "bounds are x " + std::to_string(bounds.x0) + " to " + std::to_string(bounds.x1));
        expect_contains(text, "expected a rectangle within the image of 12x8 pixels");
        if (p_ > 1) expect_contains(text, "wrong argument on rank " + std::to_string(odd));
        expect_same_on_all_ranks(text);
      }
      ImageView image = this->image();
      image.bounds = bounds;
      expect_contains(error_of<ArgumentError>([&] { compositor.composite(image); }), "bounds are");
    }

    // It goes on, also with bounds that hold nothing.
    ImageView image = this->image();
    image.bounds = Rectangle{0, 0, 12, 8};
    const Frame oracle = composite_serial(scene_.views(), scene_.size(), scene_.format(), Op::over);
    const float allowed = testing::tolerance(scene_.format(), Op::over, p_, false);
    scene_.expect_near(compositor.composite(image), oracle, allowed);
    Scene empty(p_, {}, {12, 8}, random_, false);
    for (int rank = 0; rank < p_; ++rank)
      draw_only(empty, static_cast<std::size_t>(rank), testing::Drawn::nothing, random_);
    image = testing::image_of(empty, rank_);
    image.bounds = Rectangle{12, 8, 12, 8};
    const Frame nothing = composite_serial(empty.views(), empty.size(), empty.format(), Op::over);
    empty.expect_near(compositor.composite(image), nothing, 0);
  }
}

TEST_F(Bounds, OfARankWithoutAnImageAreCheckedAndUnused) {
  Compositor compositor(MPI_COMM_WORLD);
  ImageView image{{}, {12, 8}, {}};
  image.bounds = Rectangle{3, 2, 9, 5};
  const Tile tile = compositor.composite(image);
  for (std::int64_t i = 0; i < tile.range().size() * 16; ++i)
    ASSERT_EQ(tile.pixels().view().colour[i], std::byte{0});
  image.bounds->x1 = 13;
  expect_contains(error_of<ArgumentError>([&] { compositor.composite(image); }), "bounds are");
}

TEST_F(Bounds, EmptyPixelsAreNotSent) {
  if (p_ == 1) GTEST_SKIP() << "one rank sends nothing";
  // Each rank has drawn one row in eight.
  Scene scene(p_, {}, {256, std::int64_t{8} * p_}, random_, false);
  for (int rank = 0; rank < p_; ++rank) {
    auto& colour = scene.image(static_cast<std::size_t>(rank)).colour;
    for (std::size_t i = 0; i < colour.size(); ++i)
      if (i / (std::size_t{16} * 256) % 8 != 3) colour[i] = std::byte{0};
  }
  std::int64_t composited = 0;
  std::int64_t gathered = 0;
  const auto frame_of = [&](bool sparse) {
    Compositor compositor =
        testing::compositor_with({.sparse = sparse}, {.algorithm = "direct-send", .node_ranks = 1});
    const Tile tile = compositor.composite(testing::image_of(scene, rank_));
    composited = compositor.timing().bytes_sent;
    EXPECT_EQ(compositor.timing().search > 0, sparse);
    const auto frame = compositor.gather(tile, p_ - 1);
    gathered = compositor.timing().bytes_sent - composited;
    return frame;
  };
  const auto dense = frame_of(false);
  const std::int64_t bytes = std::int64_t{256} * 8 * 16;
  EXPECT_EQ(composited, bytes * (p_ - 1));
  EXPECT_EQ(gathered, rank_ == p_ - 1 ? 0 : bytes);
  const auto sparse = frame_of(true);
  EXPECT_LE(composited, bytes * (p_ - 1) * 9 / 64);
  EXPECT_LE(gathered, bytes * 9 / 64);
  if (dense) scene.expect_same_bits(*sparse, *dense);
}

}  // namespace
}  // namespace sortlast
