// Every algorithm, operator and format over MPI against the oracle: random depth orders, rings, sizes,
// roots and backgrounds, ranks without images, NaN and infinity.
#include <gtest/gtest.h>

#include <limits>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::Scene;

// Every rank draws the same from equal seeds, and so knows all images.
class Frames : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  // 0 pixels, fewer than ranks, odd numbers.
  static Size random_size(std::mt19937& random) {
    return {std::uniform_int_distribution(0, 23)(random), std::uniform_int_distribution(1, 5)(random)};
  }

  static std::vector<float> random_background(const Format& format, std::mt19937& random) {
    if (random() % 3 != 0) return {};
    std::vector<float> background(static_cast<std::size_t>(format.channels));
    for (float& value : background) value = static_cast<float>(random() % 256) / 255.0F;
    return background;
  }

  float allowed(const Compositor& compositor, const Format& format, Op op) const {
    return testing::tolerance(format, op, p_, testing::rounds_once(compositor.algorithm()));
  }

  // Composite the scene, compare this rank's tile and, at the root, the gathered frame.
  void check(Compositor& compositor, const Scene& scene, const Composition& composition, int root) const {
    const Frame oracle = composite_serial(scene.views(), scene.size(), scene.format(), composition.op,
                                          composition.order, composition.background);
    const Tile tile = compositor.composite(testing::image_of(scene, rank_), composition);
    const float tolerance = allowed(compositor, scene.format(), composition.op);
    scene.expect_near(tile, oracle, tolerance);
    const auto frame = compositor.gather(tile, root, scene.format().depth);
    EXPECT_EQ(frame.has_value(), rank_ == root);
    if (frame) scene.expect_near(*frame, oracle, tolerance);
  }
};

TEST_F(Frames, EveryAlgorithmGivesTheOraclesImage) {
  std::mt19937 random(21);
  for (const AlgorithmEntry& entry : algorithms()) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name, .ring = testing::shuffled(p_, random)});
    for (const auto& [format, op] : testing::cases()) {
      SCOPED_TRACE(entry.name + " " + format_name(format) + " " + std::string(op_name(op)));
      const Scene scene(p_, format, random_size(random), random, random() % 2 == 0);
      const std::vector<std::int32_t> order = testing::shuffled(p_, random);
      const std::vector<float> background = random_background(format, random);
      const int root = static_cast<int>(random() % static_cast<unsigned>(p_));
      check(compositor, scene, {op, order, background}, root);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_F(Frames, AutoAndEveryFactorOfRadixK) {
  std::mt19937 random(22);
  std::vector<std::string> names{"auto"};
  for (int k = 2; k < p_; ++k) {
    if (p_ % k == 0) names.push_back("radix-k:" + std::to_string(k) + "," + std::to_string(p_ / k));
  }
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = name});
    const Scene scene(p_, {}, {37, 11}, random, false);
    check(compositor, scene, {Op::over, testing::shuffled(p_, random), {}}, 0);
  }
}

TEST_F(Frames, RanksWithoutImages) {
  std::mt19937 random(23);
  const Format format{Scalar::float16, 4, true};
  for (const AlgorithmEntry& entry : algorithms()) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name});
    for (const Op op : {Op::over, Op::closest, Op::min}) {
      // Take the images away one by one, from the root on, until none is left.
      Scene scene(p_, format, {13, 5}, random, false);
      const std::vector<std::int32_t> going = testing::shuffled(p_, random);
      for (std::size_t gone = 0; gone < going.size(); ++gone) {
        scene.remove(static_cast<std::size_t>(going[gone]));
        if (gone != 0 && gone + 3 < going.size()) continue;
        SCOPED_TRACE(entry.name + " " + std::string(op_name(op)) + ", " + std::to_string(gone + 1) +
                     " without");
        check(compositor, scene, {op, {}, {}}, going[0]);
        check(compositor, scene, {op, {}, {0.25F, 0.5F, 0.75F, 1.0F}}, going[0]);
      }
    }
  }
}

TEST_F(Frames, AwkwardSizes) {
  std::mt19937 random(24);
  for (const AlgorithmEntry& entry : algorithms()) {
    Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name});
    for (const Size size :
         {Size{0, 0}, Size{0, 7}, Size{1, 1}, Size{p_ - 1, 1}, Size{1, p_ + 1}, Size{211, 157}}) {
      SCOPED_TRACE(entry.name + " " + std::to_string(size.width) + "x" + std::to_string(size.height));
      const Scene scene(p_, {Scalar::uint8, 4, false}, size, random, false);
      check(compositor, scene, {Op::over, testing::shuffled(p_, random), {}}, p_ - 1);
    }
  }
}

TEST_F(Frames, GatherAtEveryRoot) {
  std::mt19937 random(25);
  const Format format{Scalar::uint8, 3, true};
  const Scene scene(p_, format, {29, 3}, random, false);
  const Frame oracle = composite_serial(scene.views(), scene.size(), format, Op::closest);
  Compositor compositor(MPI_COMM_WORLD, {.algorithm = "shift"});
  const Tile tile = compositor.composite(testing::image_of(scene, rank_), {Op::closest, {}, {}});
  for (int root = 0; root < p_; ++root) {
    const auto with_depth = compositor.gather(tile, root, true);
    const auto without = compositor.gather(tile, root, false);
    ASSERT_EQ(with_depth.has_value(), rank_ == root);
    ASSERT_EQ(without.has_value(), rank_ == root);
    if (!with_depth || !without) continue;
    scene.expect_same_bits(*with_depth, oracle);
    EXPECT_EQ(without->format, (Format{Scalar::uint8, 3, false}));
    const auto n = static_cast<std::size_t>(oracle.size.pixels());
    EXPECT_EQ(std::memcmp(without->pixels.view().colour, oracle.pixels.view().colour, 3 * n), 0);
  }
}

TEST_F(Frames, NanAndInfinityPassThrough) {
  std::mt19937 random(26);
  for (const Op op : {Op::over, Op::add, Op::max, Op::min}) {
    Scene scene(p_, {}, {std::int64_t{2} * p_, 3}, random, false);
    // Rank r has them in colour channels of pixel 2 r, where everything is half transparent, so that no
    // association turns an infinity into NaN.
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(p_); ++rank) {
      auto* const values = reinterpret_cast<float*>(scene.image(rank).colour.data());
      values[rank * 8] = std::numeric_limits<float>::quiet_NaN();
      values[rank * 8 + 1] = std::numeric_limits<float>::infinity();
      values[rank * 8 + 2] = -std::numeric_limits<float>::infinity();
      for (std::size_t pixel = 0; pixel < 2 * static_cast<std::size_t>(p_); ++pixel)
        values[pixel * 4 + 3] = 0.5F;
    }
    for (const AlgorithmEntry& entry : algorithms()) {
      SCOPED_TRACE(entry.name + " " + std::string(op_name(op)));
      Compositor compositor(MPI_COMM_WORLD, {.algorithm = entry.name});
      check(compositor, scene, {op, testing::shuffled(p_, random), {}}, 0);
    }
  }
}

TEST_F(Frames, TimingCountsWhatTheScheduleSends) {
  std::mt19937 random(27);
  const Scene scene(p_, {}, {64, 9}, random, false);
  for (const AlgorithmEntry& entry : algorithms()) {
    SCOPED_TRACE(entry.name);
    Compositor compositor =
        testing::compositor_with({.sparse = false}, {.algorithm = entry.name, .node_ranks = 1});
    const Tile tile = compositor.composite(testing::image_of(scene, rank_));
    const Program program = tile.schedule()->program(rank_);
    std::int64_t pixels = 0;
    for (const Send& send : program.sends) pixels += send.pixels.size();
    const Timing timing = compositor.timing();
    EXPECT_EQ(timing.bytes_sent, 16 * pixels);
    EXPECT_EQ(timing.messages_sent, static_cast<std::int64_t>(program.sends.size()));
    EXPECT_EQ(timing.messages_received, static_cast<std::int64_t>(program.receives.size()));
    EXPECT_EQ(timing.stages, tile.schedule()->stages());
    EXPECT_GT(timing.total, 0);
    EXPECT_LE(timing.agree + timing.wait + timing.blend, timing.total);
    compositor.gather(tile);
    EXPECT_GT(compositor.timing().gather, 0);
    EXPECT_GT(compositor.timing().total, timing.total);
  }
}

}  // namespace
}  // namespace sortlast
