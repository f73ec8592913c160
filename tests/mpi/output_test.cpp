// Output that the caller hands in: finished pixels and frames are put where they belong in it, and nowhere
// else, whichever way they come; and what cannot be output is every rank's error.
#include <gtest/gtest.h>

#include <algorithm>

#include "mpi/ranks.hpp"
#include "scene.hpp"
#include "sortlast/content/pixels/tile.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/serial.hpp"
#include "sparse_scene.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_same_on_all_ranks;
using testing::Scene;

// Memory of a whole image, every byte of it marked.
class Output {
 public:
  static constexpr std::byte mark{0x5b};

  Output(const Format& format, Size size) : format_(format), n_(static_cast<std::size_t>(size.pixels())) {
    colour_.assign(n_ * format.colour_bytes() + 1, mark);
    depth_.resize(format.depth ? n_ + 1 : 0);
    if (format.depth) std::memset(depth_.data(), std::to_integer<int>(mark), depth_.size() * sizeof(float));
  }

  Pixels view() { return {colour_.data(), format_.depth ? depth_.data() : nullptr}; }

  // Pixels outside the ranges, and what lies behind the image, are marked as before.
  void expect_marked_outside(const std::vector<Range>& ranges) const {
    std::vector<bool> written(n_ + 1, false);
    for (const Range& range : ranges) {
      std::fill(written.begin() + range.begin, written.begin() + range.end, true);
    }
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < colour_.size(); ++i)
      if (!written[i / format_.colour_bytes()] && colour_[i] != mark) ++wrong;
    for (std::size_t i = 0; i < depth_.size(); ++i) {
      std::byte bytes[sizeof(float)];
      std::memcpy(bytes, &depth_[i], sizeof(float));
      if (!written[i] && bytes[0] != mark) ++wrong;
    }
    EXPECT_EQ(wrong, 0U) << "bytes outside were written";
  }

 private:
  Format format_;
  std::size_t n_;
  std::vector<std::byte> colour_;
  std::vector<float> depth_;
};

class Outputs : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
  std::mt19937 random_{171};
};

TEST_F(Outputs, HoldTheTileAndTheFrameWhereTheyBelong) {
  for (const AlgorithmEntry& entry : algorithms()) {
    for (const int node_ranks : {0, 1, 2}) {
      for (const FrameLayout layout : {FrameLayout::contiguous, FrameLayout::interleaved}) {
        Compositor compositor = testing::compositor_with({.chunk_bytes = 1 << 13, .layout = layout},
                                                         {.algorithm = entry.name, .node_ranks = node_ranks});
        for (const auto& [format, op] : testing::cases()) {
          if (random_() % 7 != 0) continue;
          SCOPED_TRACE(entry.name + " " + format_name(format) + " " + std::string(op_name(op)) +
                       ", nodes of " + std::to_string(node_ranks) +
                       (layout == FrameLayout::interleaved ? ", in blocks" : ""));
          const Size size{1 + static_cast<std::int64_t>(random_() % 97),
                          1 + static_cast<std::int64_t>(random_() % 60)};
          const Scene scene(p_, format, size, random_, random_() % 3 == 0);
          const Composition how{op, testing::shuffled(p_, random_), {}};
          const ImageView image = testing::image_of(scene, rank_);
          const int root = static_cast<int>(random_() % static_cast<unsigned>(p_));
          const Tile expected = compositor.composite(image, how);
          const auto whole = compositor.gather(expected, root, format.depth);

          // The tile, in its place.
          Output out(format, size);
          const Tile tile = compositor.composite(image, how, out.view());
          std::int64_t first = 0;
          for (const Range lies : tile.ranges()) {
            scene.expect_same_bits(advance(ConstPixels(out.view()), format, lies.begin),
                                   advance(ConstPixels(expected.pixels().view()), format, first),
                                   lies.size());
            first += lies.size();
          }
          EXPECT_EQ(first, expected.range().size());
          scene.expect_same_bits(tile.pixels().view(), expected.pixels().view(), tile.range().size());
          out.expect_marked_outside(tile.ranges());
          if (tile.contiguous() && !tile.range().empty()) {
            EXPECT_EQ(tile.pixels().view().colour, advance(out.view(), format, tile.range().begin).colour);
          }

          // The frame: of this tile into the same memory, and of the other, which may lie in its node's
          // frame.
          const auto same = compositor.gather(tile, root, format.depth, out.view());
          Output second(format, size);
          const auto other = compositor.gather(expected, root, false, second.view());
          ASSERT_EQ(same.has_value(), rank_ == root);
          if (rank_ != root) {
            out.expect_marked_outside(tile.ranges());
            second.expect_marked_outside({});
            continue;
          }
          EXPECT_EQ(same->pixels.view().colour, out.view().colour);
          EXPECT_EQ(other->pixels.view().colour, second.view().colour);
          scene.expect_same_bits(*same, *whole);
          const auto bytes = static_cast<std::size_t>(size.pixels()) * format.colour_bytes();
          EXPECT_EQ(std::memcmp(second.view().colour, whole->pixels.view().colour, bytes), 0);
          ASSERT_FALSE(HasFailure());
        }
      }
    }
  }
}

TEST_F(Outputs, TakeABackground) {
  const Format format{Scalar::float32, 4, true};
  const Size size{41, 37};
  const Scene scene(p_, format, size, random_, true);
  const std::vector<float> background{0.25F, 0.5F, 0.75F, 1.0F};
  const Frame oracle = composite_serial(scene.views(), size, format, Op::over, {}, background);
  for (const FrameLayout layout : {FrameLayout::contiguous, FrameLayout::interleaved}) {
    Compositor compositor = testing::compositor_with({.layout = layout});
    Output out(format, size);
    const Tile tile =
        compositor.composite(testing::image_of(scene, rank_), {Op::over, {}, background}, out.view());
    for (const Range lies : tile.ranges())
      scene.expect_near(advance(ConstPixels(out.view()), format, lies.begin),
                        advance(ConstPixels(oracle.pixels.view()), format, lies.begin), lies.size(),
                        testing::tolerance(format, Op::over, p_, false));
  }
}

TEST_F(Outputs, ThatOverlapTheImageAreRefused) {
  const Format format{Scalar::float32, 4, true};
  const Size size{16, 8};
  Scene scene(p_, format, size, random_, false);
  auto& mine = scene.image(static_cast<std::size_t>(rank_));
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20});
  Output out(format, size);
  const Pixels good = out.view();
  auto* const last_colour = mine.colour.data() + mine.colour.size() - 1;
  const Pixels wrong[] = {{mine.colour.data(), good.depth},
                          {last_colour, good.depth},
                          {good.colour, mine.depth.data()},
                          {reinterpret_cast<std::byte*>(mine.depth.data()), good.depth}};
  for (const Pixels& pixels : wrong) {
    const std::string text = error_of<ArgumentError>(
        [&] { compositor.composite(testing::image_of(scene, rank_), {Op::over, {}, {}}, pixels); });
    expect_contains(text, "out overlaps the image");
    expect_same_on_all_ranks(text);
  }
  const std::string depth = error_of<ArgumentError>([&] {
    compositor.composite(testing::image_of(scene, rank_), {Op::over, {}, {}}, Pixels{good.colour, nullptr});
  });
  expect_contains(depth, "out has no depth plane");

  // It goes on; a frame with depth needs a plane for it, on the root.
  const Tile tile = compositor.composite(testing::image_of(scene, rank_), {Op::over, {}, {}}, good);
  const auto gather = [&] { compositor.gather(tile, 0, true, Pixels{good.colour, nullptr}); };
  expect_contains(p_ == 1 ? error_of<ArgumentError>(gather) : error_of<MismatchError>(gather),
                  "out has no depth plane");
  EXPECT_EQ(compositor.gather(tile, 0, true, good).has_value(), rank_ == 0);
}

TEST_F(Outputs, AreGivenOnEveryRankOrOnNone) {
  if (p_ == 1) GTEST_SKIP() << "one rank agrees with itself";
  const Scene scene(p_, {}, {16, 8}, random_, false);
  Output out({}, {16, 8});
  Compositor compositor(MPI_COMM_WORLD, {.timeout = 20});
  const std::string text = error_of<MismatchError>(
      [&] { compositor.composite(testing::image_of(scene, rank_), {}, rank_ == 0 ? out.view() : Pixels{}); });
  expect_contains(text, "out: yes on rank 0; no on rank");
  expect_same_on_all_ranks(text);
}

}  // namespace
}  // namespace sortlast
