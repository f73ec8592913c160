// Several images a rank over MPI: the oracle's frame by every algorithm, on nodes and by messages; ranks that
// interleave in depth and ranks that do not; errors on every rank.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "many_boxes.hpp"
#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::expect_near;
using testing::many_boxes;
using testing::ManyBoxes;

constexpr Size size{97, 71};
constexpr Format rgba{Scalar::float32, 4, false};

class MpiBoxImages : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();

  // Composite, gather, and compare with the oracle; returns the bytes of the frame's colours at the root.
  std::vector<std::byte> expect_right(Compositor& compositor, const ManyBoxes& scene,
                                      const Composition& composition = {}) const {
    const std::vector<BoxImage> mine = scene.of(rank_);
    const Tile tile = compositor.composite(mine, scene.size, composition);
    const std::optional<Frame> frame = compositor.gather(tile, 0, scene.format.depth);
    EXPECT_EQ(frame.has_value(), rank_ == 0);
    if (!frame) return {};
    const std::int64_t n = scene.size.pixels();
    const Frame expected =
        composite_serial(scene.images, scene.size, scene.format, composition.op, composition.background);
    expect_near(scene.format, frame->pixels.view(), expected.pixels.view(), n, scene.images.size());
    const std::byte* const colour = frame->pixels.view().colour;
    return {colour, colour + static_cast<std::size_t>(n) * scene.format.colour_bytes()};
  }
};

TEST_F(MpiBoxImages, EveryAlgorithmOnNodesAndByMessages) {
  for (const AlgorithmEntry& algorithm : algorithms()) {
    for (const int node_ranks : {0, 1, 2}) {
      SCOPED_TRACE(algorithm.name + ", " + std::to_string(node_ranks) + " ranks a node");
      Options options;
      options.algorithm = algorithm.name;
      options.node_ranks = node_ranks;
      Compositor compositor(MPI_COMM_WORLD, options);
      const auto first = expect_right(compositor, many_boxes(size, rgba, p_, 20 * p_, 40, 6));
      const auto again = expect_right(compositor, many_boxes(size, rgba, p_, 20 * p_, 40, 6));
      EXPECT_EQ(first, again);
    }
  }
}

TEST_F(MpiBoxImages, EveryOperatorAndFormat) {
  Compositor compositor(MPI_COMM_WORLD);
  for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min}) {
    for (const Scalar scalar : {Scalar::float32, Scalar::float16, Scalar::uint8}) {
      for (const bool depth : {false, true}) {
        if (op == Op::closest && !depth) continue;
        const Format format{scalar, 4, depth};
        SCOPED_TRACE(format_name(format) + ", " + std::string(op_name(op)));
        const ManyBoxes scene = many_boxes(size, format, p_, 12 * p_, 40, 8);
        expect_right(compositor, scene, {op, {}, {}, true});
        expect_right(compositor, scene, {op, {}, {0.1F, 0.2F, 0.3F, 0.4F}, true});
        expect_right(compositor, testing::apart(scene), {op, {}, {}, true});
        expect_right(compositor, testing::apart(scene), {op, {}, {0.1F, 0.2F, 0.3F, 0.4F}, true});
      }
    }
  }
}

TEST_F(MpiBoxImages, NumbersOfImages) {
  Compositor compositor(MPI_COMM_WORLD);
  for (const std::int32_t count : {0, 1, p_, 100 * p_, 1000 * p_})
    expect_right(compositor, many_boxes(size, rgba, p_, count, 9, 21));
}

// Whichever way is chosen, the frame is right at every rank that was said to gather it, and at another.
TEST_F(MpiBoxImages, ARootThatIsKnownChangesNoPixel) {
  for (const int node_ranks : {0, 1}) {
    Options options;
    options.node_ranks = node_ranks;
    Compositor compositor(MPI_COMM_WORLD, options);
    for (const Op op : {Op::over, Op::closest, Op::add, Op::max, Op::min}) {
      for (const Scalar scalar : {Scalar::float32, Scalar::uint8}) {
        const Format format{scalar, 4, op == Op::closest};
        SCOPED_TRACE(format_name(format) + ", " + std::string(op_name(op)));
        Composition composition{op, {}, {}, true, p_ - 1};
        expect_right(compositor, many_boxes(size, format, p_, 12 * p_, 40, 8), composition);
        composition.background = {0.1F, 0.2F, 0.3F, 0.4F};
        composition.root = 0;
        expect_right(compositor, many_boxes(size, format, p_, 2 * p_, 40, 8), composition);
        expect_right(compositor, testing::apart(many_boxes(size, format, p_, 3 * p_, 30, 8)), composition);
      }
    }
    expect_right(compositor, many_boxes(size, rgba, p_, 0, 40, 8), {Op::over, {}, {}, true, 0});
  }
}

// A few small boxes by messages: all of them go to the root, whose tile is the frame.
TEST_F(MpiBoxImages, SmallImagesGoStraightToTheRoot) {
  if (p_ == 1) GTEST_SKIP() << "one rank has nobody to send to";
  Options options;
  options.node_ranks = 1;
  Compositor compositor(MPI_COMM_WORLD, options);
  const int root = p_ / 2;
  const ManyBoxes scene = many_boxes({400, 300}, rgba, p_, 3, 20, 5);  // the fourth would fill the frame
  const Tile tile = compositor.composite(scene.of(rank_), scene.size, {Op::over, {}, {}, true, root});
  EXPECT_EQ(compositor.algorithm(), "collect:" + std::to_string(root));
  expect_contains(compositor.explain(), "sent to rank " + std::to_string(root) + " at once");
  EXPECT_EQ(tile.range(), (rank_ == root ? Range{0, scene.size.pixels()} : Range{}));
  const std::optional<Frame> frame = compositor.gather(tile, root);
  EXPECT_EQ(frame.has_value(), rank_ == root);
  if (!frame) return;
  EXPECT_EQ(frame->pixels.view().colour, tile.pixels().view().colour);  // without a copy
  const Frame expected = composite_serial(scene.images, scene.size, rgba, Op::over);
  EXPECT_EQ(std::memcmp(frame->pixels.view().colour, expected.pixels.view().colour,
                        static_cast<std::size_t>(scene.size.pixels()) * rgba.colour_bytes()),
            0);
}

TEST_F(MpiBoxImages, OneImageARankHasTheBitsOfTheOrder) {
  const ManyBoxes scene = [&] {
    ManyBoxes made{size, rgba, {}, {}, {}};
    std::mt19937 random(77);
    for (int rank = 0; rank < p_; ++rank) {
      made.pixels.push_back(testing::random_image(rgba, size.pixels(), random));
      made.images.push_back({{made.pixels.back().view(), size, rgba, {}}, std::int64_t{-10} * rank, {}});
      made.ranks.push_back(rank);
    }
    return made;
  }();
  Compositor compositor(MPI_COMM_WORLD);
  const auto found = expect_right(compositor, scene);
  expect_contains(compositor.explain(), "each rank made its own into one first");

  Composition composition;
  for (int rank = p_ - 1; rank >= 0; --rank) composition.order.push_back(rank);
  const Tile tile = compositor.composite(scene.of(rank_).front().image, composition);
  const std::optional<Frame> frame = compositor.gather(tile);
  if (!frame) return;
  EXPECT_TRUE(std::equal(found.begin(), found.end(), frame->pixels.view().colour));
}

TEST_F(MpiBoxImages, TellsHowItWasDone) {
  if (p_ == 1) GTEST_SKIP() << "one rank interleaves with nobody";
  Compositor compositor(MPI_COMM_WORLD);
  const ManyBoxes scene = many_boxes(size, rgba, p_, 20 * p_, 60, 6);
  expect_right(compositor, scene);
  expect_contains(compositor.explain(), "as images of one rank lie between those of another");
  EXPECT_GT(compositor.timing().agree, 0);
  EXPECT_GE(compositor.timing().total, compositor.timing().agree);
  expect_right(compositor, testing::apart(scene));
  expect_contains(compositor.explain(), "each rank made its own into one first");
}

// Where nothing is blended early, the images of a pixel are blended as the oracle does: in memory that mates
// map, in memory that they read through the kernel, and half and half.
TEST_F(MpiBoxImages, RanksOfANodeMakeTheBitsOfTheOracle) {
  Compositor compositor(MPI_COMM_WORLD);
  for (const Op op : {Op::over, Op::closest}) {
    const Format format{Scalar::float32, 4, op == Op::closest};
    const ManyBoxes scene = many_boxes(size, format, p_, 20 * p_, 40, 13);
    const Frame expected = composite_serial(scene.images, size, format, op);
    for (const std::size_t allocated : {0U, 1U, 2U}) {  // of two images
      std::vector<BoxImage> mine = scene.of(rank_);
      std::vector<PixelBuffer> memory;
      for (std::size_t i = 0; i < mine.size(); ++i) {
        ImageView& image = mine[i].image;
        if (i % 2 >= allocated || image.size.pixels() == 0) continue;
        const auto n = static_cast<std::size_t>(image.size.pixels());
        memory.emplace_back(compositor.allocate(PixelBuffer::bytes(format, image.size.pixels())), format,
                            image.size.pixels());
        std::memcpy(memory.back().view().colour, image.pixels.colour, n * format.colour_bytes());
        if (format.depth) std::memcpy(memory.back().view().depth, image.pixels.depth, n * sizeof(float));
        image.pixels = memory.back().view();
      }
      const Tile tile = compositor.composite(mine, size, {op, {}, {}, true});
      if (p_ > 1)
        expect_contains(compositor.explain(), allocated == 2 ? "0 through the kernel" : "where it lies");
      const std::optional<Frame> frame = compositor.gather(tile, 0, format.depth);
      if (!frame) continue;
      const auto n = static_cast<std::size_t>(size.pixels());
      EXPECT_EQ(std::memcmp(frame->pixels.view().colour, expected.pixels.view().colour, n * 16), 0);
      if (!format.depth) continue;
      EXPECT_EQ(std::memcmp(frame->pixels.view().depth, expected.pixels.view().depth, n * 4), 0);
    }
  }
}

TEST_F(MpiBoxImages, StraightAlphaIsMultiplied) {
  ManyBoxes straight = many_boxes(size, rgba, p_, 6 * p_, 40, 31);
  for (auto& image : straight.pixels) {
    auto* const values = reinterpret_cast<float*>(image.colour.data());
    for (std::size_t i = 0; i < image.colour.size() / 16; ++i)
      for (std::size_t c = 0; c < 3; ++c)
        values[4 * i + c] = values[4 * i + 3] > 0 ? values[4 * i + c] / values[4 * i + 3] : 0;
  }
  ManyBoxes multiplied = straight;
  multiplied.pixels.clear();
  for (std::size_t i = 0; i < straight.images.size(); ++i) {
    const ImageView& image = straight.images[i].image;
    testing::TestImage copy;
    copy.colour.resize(straight.pixels[i].colour.size());
    if (!copy.colour.empty())
      premultiply(rgba, image.pixels, {copy.colour.data(), nullptr}, image.size.pixels());
    multiplied.pixels.push_back(std::move(copy));
    multiplied.images[i].image.pixels = multiplied.pixels[i].view();
  }
  Compositor compositor(MPI_COMM_WORLD);
  Composition composition;
  composition.premultiplied = false;
  const std::optional<Frame> frame =
      compositor.gather(compositor.composite(straight.of(rank_), size, composition));
  if (!frame) return;
  const Frame expected = composite_serial(multiplied.images, size, rgba, Op::over);
  expect_near(rgba, frame->pixels.view(), expected.pixels.view(), size.pixels(), straight.images.size());
}

// ---- Errors ---------------------------------------------------------------------------------------

TEST_F(MpiBoxImages, ErrorsReachEveryRank) {
  const std::vector<float> colour(16, 0.25F);
  const auto image = [&](std::int64_t position, const Rectangle& box) {
    return BoxImage{
        {{reinterpret_cast<const std::byte*>(colour.data()), nullptr}, {2, 2}, rgba, {}}, position, box};
  };
  const auto same = [&](const std::string& text, const std::string& part) {
    expect_contains(text, part);
    testing::expect_same_on_all_ranks(text);
  };
  Compositor compositor(MPI_COMM_WORLD);
  const auto composite = [&](const std::vector<BoxImage>& images, Size of = size) {
    compositor.composite(images, of);
  };
  const Rectangle inside{3, 4, 5, 6};

  // Positions twice.
  const std::vector<BoxImage> twice{image(rank_ == p_ - 1 ? 0 : rank_, inside), image(rank_ + 100, inside)};
  if (p_ > 1) {
    same(error_of<ArgumentError>([&] { composite(twice); }),
         "position 0 is that of an image of rank 0 and one of rank " + std::to_string(p_ - 1));
    // A box outside of the frame on one rank.
    const Rectangle outside{96, 70, 98, 72};
    same(error_of<MismatchError>([&] { composite({image(rank_, rank_ == 1 ? outside : inside)}); }),
         "wrong argument on rank 1: the box of image 0 is x 96 to 98, y 70 to 72");
    // Frames and formats that differ.
    same(error_of<MismatchError>([&] { composite({image(rank_, inside)}, rank_ == 1 ? Size{9, 9} : size); }),
         "size: 97x71 on rank");
    BoxImage bytes = image(rank_, inside);
    if (rank_ == 1) bytes.image.format.scalar = Scalar::uint8;
    same(error_of<MismatchError>([&] {
           compositor.composite(std::vector<BoxImage>{image(rank_, inside)}, size,
                                {Op::over, {}, {}, true, rank_ == 1 ? 1 : -1});
         }),
         "root: -1 on rank");
    same(error_of<MismatchError>([&] { composite({bytes}); }),
         "format: RGBA float32 on rank 0; RGBA uint8 on rank 1");
  }
  same(error_of<ArgumentError>([&] {
         compositor.composite(std::vector<BoxImage>{image(rank_, inside)}, size, {Op::closest, {}, {}, true});
       }),
       "closest needs a depth plane");
  same(error_of<ArgumentError>([&] {
         compositor.composite(std::vector<BoxImage>{image(rank_, inside)}, size,
                              {Op::over, {}, {}, true, p_});
       }),
       "root is " + std::to_string(p_) + "; expected a rank");
  same(error_of<ArgumentError>([&] {
         std::vector<std::int32_t> order(static_cast<std::size_t>(p_));
         std::iota(order.begin(), order.end(), 0);
         compositor.composite(std::vector<BoxImage>{image(rank_, inside)}, size, {Op::over, order, {}, true});
       }),
       "their positions are the order");
  // It can be used again.
  expect_right(compositor, many_boxes(size, rgba, p_, 4 * p_, 30, 2));
}

}  // namespace
}  // namespace sortlast
