// Images that together have no more active pixels than a frame that is needed on one rank: "auto" sends them
// straight there.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Scene;

class CollectedFrames : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{271};

  // Each rank has drawn its own rows, or rank 0 has drawn all pixels.
  Scene scene(const Format& format, Size size, bool dense) {
    Scene scene(p_, format, size, random_, false);
    const std::int64_t rows = size.height / p_;
    for (std::int32_t rank = 0; !dense && rank < p_; ++rank)
      testing::clear_outside(scene, static_cast<std::size_t>(rank),
                             {0, rank * rows, size.width, (rank + 1) * rows});
    if (!dense) return scene;
    testing::TestImage& image = scene.image(0);
    std::fill(image.colour.begin(), image.colour.end(), std::byte{0x33});
    std::fill(image.depth.begin(), image.depth.end(), 0.5F);
    return scene;
  }
};

TEST_F(CollectedFrames, HaveTheBitsOfTheSerialExecutorOnTheRootAlone) {
  if (p_ == 1) GTEST_SKIP() << "one rank sends nothing";
  for (const int node_ranks : {1, 2}) {
    if (p_ <= node_ranks) continue;
    Compositor compositor(MPI_COMM_WORLD, {.node_ranks = node_ranks});
    for (const auto& [format, op] : testing::cases()) {
      for (const bool dense : {false, true}) {
        const Size size{70, std::int64_t{8} * p_};
        const Scene images = scene(format, size, dense);
        Composition composition;
        composition.op = op;
        composition.root = static_cast<int>(random_() % static_cast<unsigned>(p_));
        composition.order = testing::shuffled(p_, random_);
        if (random_() % 2 == 0)
          composition.background.assign(static_cast<std::size_t>(format.channels), 0.25F);
        SCOPED_TRACE(::testing::Message()
                     << "node_ranks " << node_ranks << ", " << format_name(format) << " " << op_name(op)
                     << ", dense " << dense << ", root " << composition.root);
        // A frame that begins before all ranks have arrived is planned with the numbers of the one before.
        compositor.composite(testing::image_of(images, rank_), composition);
        const Tile tile = compositor.composite(testing::image_of(images, rank_), composition);
        EXPECT_EQ(compositor.algorithm() == "collect:" + std::to_string(composition.root), !dense);
        EXPECT_EQ(compositor.explain().find("straight to the root") != std::string::npos, !dense);
        if (!dense) {
          EXPECT_TRUE(tile.contiguous());
          EXPECT_EQ(tile.range().size(), rank_ == composition.root ? size.pixels() : 0);
        }
        const auto frame = compositor.gather(tile, composition.root, format.depth);
        ASSERT_EQ(frame.has_value(), rank_ == composition.root);
        if (!frame) continue;
        if (!dense) {
          EXPECT_EQ(frame->pixels.view().colour, tile.pixels().view().colour) << "copied";
        }
        const Frame oracle =
            composite_serial(images.views(), size, format, op, composition.order, composition.background);
        images.expect_near(*frame, oracle, testing::tolerance(format, op, p_, false));
      }
    }
  }
}

}  // namespace
}  // namespace sortlast
