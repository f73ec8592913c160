// Frames however their pixels get from rank to rank: by messages, dense or sparse, in small chunks, or read
// where they lie, in memory of the compositor or the caller's; between the ranks of real and pretended nodes.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "mpi/image_copies.hpp"
#include "mpi/ranks.hpp"
#include "mpi/reads.hpp"
#include "scene.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::Copy;
using testing::Place;
using testing::Scene;

class Sharing : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  struct Made {
    Scene scene;
    std::vector<Rectangle> bounds;  // of every rank's drawn pixels
  };

  // Every rank has drawn something else; some have no image.
  Made make_scene(const Format& format, Size size, bool infinities, std::mt19937& random) const {
    Made made{{p_, format, size, random, random() % 2 == 0}, {}};
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(p_); ++rank) {
      const auto drawn = testing::all_drawn[random() % std::size(testing::all_drawn)];
      made.bounds.push_back(draw_only(made.scene, rank, drawn, random));
      add_trouble(made.scene, rank, infinities, random);
    }
    return made;
  }

  // Places and bounds differ between ranks and calls. The image is overwritten before anything is looked at.
  Tile composite(Compositor& compositor, const Made& made, const Composition& how, unsigned turn) const {
    const auto mine = static_cast<unsigned>(rank_) + turn;
    Copy copy(compositor, static_cast<Place>(mine % 3), testing::image_of(made.scene, rank_));
    if (mine % 4 < 2) copy.image().bounds = made.bounds[static_cast<std::size_t>(rank_)];
    return compositor.composite(copy.image(), how);
  }

  struct Pair {
    std::string name;
    std::unique_ptr<Compositor> plain;    // dense messages of usual size
    std::unique_ptr<Compositor> changed;  // sparse ones of the least size
  };

  static std::vector<Pair> make_pairs(std::initializer_list<int> node_ranks) {
    std::vector<Pair> pairs;
    for (const AlgorithmEntry& entry : algorithms()) {
      for (const int ranks : node_ranks) {
        const Options options{.algorithm = entry.name, .node_ranks = ranks};
        const auto with = [&](const Internals& internals) {
          return std::make_unique<Compositor>(testing::compositor_with(internals, options));
        };
        pairs.push_back({entry.name + ", " + std::to_string(ranks) + " ranks a node", with({.sparse = false}),
                         with({.chunk_bytes = 4096})});
      }
    }
    return pairs;
  }

  // One scene through all compositors: the oracle's image, and the same bits from both of each pair.
  void check(const std::vector<Pair>& pairs, const Made& made, const Composition& how,
             std::mt19937& random) const {
    const Scene& scene = made.scene;
    const Format format = scene.format();
    const Frame oracle =
        composite_serial(scene.views(), scene.size(), format, how.op, how.order, how.background);
    const float allowed = testing::tolerance(format, how.op, p_, false);
    for (const Pair& pair : pairs) {
      SCOPED_TRACE(pair.name);
      const Tile plain = pair.plain->composite(testing::image_of(scene, rank_), how);
      const auto turn = static_cast<unsigned>(random());
      const Tile first = composite(*pair.changed, made, how, turn);
      const Tile second = composite(*pair.changed, made, how, turn + 1);
      scene.expect_near(plain, oracle, allowed);
      scene.expect_same_bits(first.pixels().view(), plain.pixels().view(), plain.range().size());
      scene.expect_same_bits(second.pixels().view(), plain.pixels().view(), plain.range().size());

      const int root = static_cast<int>(random() % static_cast<unsigned>(p_));
      const auto frame = pair.changed->gather(second, root, format.depth);
      const auto earlier = pair.changed->gather(first, root, false);
      const auto dense = pair.plain->gather(plain, root, format.depth);
      ASSERT_EQ(frame.has_value(), rank_ == root);
      if (!frame) continue;
      scene.expect_near(*frame, oracle, allowed);
      scene.expect_same_bits(*frame, *dense);
      EXPECT_FALSE(earlier->format.depth);
      const auto bytes = static_cast<std::size_t>(scene.size().pixels()) * format.colour_bytes();
      if (bytes > 0) {
        EXPECT_EQ(std::memcmp(earlier->pixels.view().colour, frame->pixels.view().colour, bytes), 0);
      }
    }
  }
};

TEST_F(Sharing, EveryWayGivesTheSameBits) {
  std::mt19937 random(61);
  const std::vector<Pair> pairs = make_pairs({0, 1, 2, 3});
  const auto cases = testing::cases();
  // Each number of ranks tries its share of the cases.
  for (std::size_t i = static_cast<std::size_t>(p_) % 5; i < cases.size(); i += 5) {
    const auto& [format, op] = cases[i];
    SCOPED_TRACE(format_name(format) + " " + std::string(op_name(op)));
    const Size size{97, 20 + static_cast<std::int64_t>(random() % 50)};
    const Made made = make_scene(format, size, op != Op::over, random);
    check(pairs, made, {op, testing::shuffled(p_, random), {}}, random);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(Sharing, AwkwardSizes) {
  std::mt19937 random(62);
  const std::vector<Pair> pairs = make_pairs({0, 2});
  for (const Size size : {Size{0, 0}, Size{0, 7}, Size{1, 1}, Size{p_ - 1, 1}, Size{1, p_ + 1}}) {
    SCOPED_TRACE(std::to_string(size.width) + "x" + std::to_string(size.height));
    const Made made = make_scene({Scalar::float32, 4, true}, size, false, random);
    check(pairs, made, {Op::over, testing::shuffled(p_, random), {}}, random);
    check(pairs, made, {Op::closest, {}, {0.25F, 0.5F, 0.75F, 1.0F}}, random);
  }
}

TEST_F(Sharing, WhereTheKernelForbidsToReadOthersMemory) {
  std::mt19937 random(63);
  // One rank that may not read is enough for all of its node to copy. That is found out when a compositor is
  // made; MPI, which reads large messages the same way, must not be disturbed afterwards.
  if (rank_ == p_ - 1) testing::set_reads(testing::Reads::forbidden);
  const std::vector<Pair> pairs = make_pairs({0, 3});
  testing::set_reads(testing::Reads::as_they_are);
  for (const Format& format : {Format{Scalar::uint8, 4, false}, Format{Scalar::float32, 4, true}}) {
    SCOPED_TRACE(format_name(format));
    const Made made = make_scene(format, {61, 40}, false, random);
    check(pairs, made, {Op::over, testing::shuffled(p_, random), {}}, random);
  }
}

TEST_F(Sharing, RanksWithoutImages) {
  std::mt19937 random(64);
  const std::vector<Pair> pairs = make_pairs({0, 2});
  Made made = make_scene({Scalar::float32, 4, true}, {40, 33}, false, random);
  const std::vector<std::int32_t> going = testing::shuffled(p_, random);
  for (std::size_t gone = 0; gone < going.size(); ++gone) {
    made.scene.remove(static_cast<std::size_t>(going[gone]));
    if (gone != 0 && gone + 2 < going.size()) continue;
    SCOPED_TRACE(std::to_string(gone + 1) + " without");
    check(pairs, made, {Op::over, testing::shuffled(p_, random), {}}, random);
    check(pairs, made, {Op::closest, {}, {}}, random);
  }
}

TEST_F(Sharing, TwoRanksOfOneNodeFarApartInDepth) {
  // The ranks of each node have those of the others between them: one fragment each.
  std::mt19937 random(65);
  std::vector<std::int32_t> order;
  for (int first = 0; first < 2; ++first)
    for (int rank = first; rank < p_; rank += 2) order.push_back(rank);
  const std::vector<Pair> pairs = make_pairs({2});
  const Made made = make_scene({Scalar::float32, 4, true}, {53, 41}, false, random);
  check(pairs, made, {Op::over, order, {0.5F, 0.25F, 0.125F, 1.0F}}, random);
}

TEST_F(Sharing, AllocatedMemoryOutlivesItsCompositor) {
  Memory memory;
  {
    Compositor compositor(MPI_COMM_WORLD);
    EXPECT_EQ(compositor.allocate(0), nullptr);
    memory = compositor.allocate(100'000);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.get()) % 64, 0U);
    for (std::size_t i = 0; i < 100'000; ++i) ASSERT_EQ(memory.get()[i], std::byte{0});
    std::memset(memory.get(), 1, 100'000);

    // Part of it is an image; another compositor reads it as memory like any.
    const Format format{};
    const ImageView image{{memory.get() + 1600, nullptr}, {50, 10}, format};
    Compositor other(MPI_COMM_WORLD);
    const Tile first = compositor.composite(image, {Op::max, {}, {}});
    const Tile second = other.composite(image, {Op::max, {}, {}});
    const auto bytes = static_cast<std::size_t>(first.range().size()) * format.colour_bytes();
    if (bytes > 0) {
      EXPECT_EQ(std::memcmp(first.pixels().view().colour, memory.get(), bytes), 0);
    }
    EXPECT_EQ(first.range(), second.range());
    if (bytes > 0) {
      EXPECT_EQ(std::memcmp(first.pixels().view().colour, second.pixels().view().colour, bytes), 0);
    }
  }
  EXPECT_EQ(memory.get()[99'999], std::byte{1});
}

}  // namespace
}  // namespace sortlast
