// Further channels over MPI: every algorithm and rule against the oracle, with ranks without an image, frames
// of other kinds in between, and the errors of all ranks.
#include <gtest/gtest.h>

#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "execute/channel_oracle.hpp"
#include "mpi/ranks.hpp"
#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

using testing::ChannelImage;
using testing::error_of;
using testing::expect_contains;

constexpr Size size{43, 29};

std::vector<Channel> channels_for(Op op) {
  const auto made = [](const std::string& name, ChannelType type, int values, ChannelRule rule) {
    Channel channel;
    channel.name = name;
    channel.type = type;
    channel.width = values;
    channel.rule = rule;
    return channel;
  };
  std::vector<Channel> channels = {made("id", ChannelType::uint32, 1, ChannelRule::automatic),
                                   made("normal", ChannelType::float32, 3, ChannelRule::blend)};
  if (op != Op::over) return channels;
  channels.push_back(made("seen", ChannelType::uint32, 2, ChannelRule::accumulated));
  channels.back().threshold = 0.5;
  channels.back().background = {3, 4};
  return channels;
}

// A frame of random images; every rank knows all of them.
class ChannelScene {
 public:
  ChannelScene(Op op, const Format& format, int p, unsigned seed, std::optional<int> without = {})
      : channels_(channels_for(op)), format_(format), op_(op) {
    std::mt19937 random(seed);
    for (int rank = 0; rank < p; ++rank) {
      images_.push_back(testing::random_channel_image(format, channels_, size.pixels(), random));
      composition_.order.insert(composition_.order.begin(), rank);
    }
    composition_.op = op;
    without_ = without;
  }

  ImageView image(int rank) const {
    if (rank == without_) return ImageView::none(size, format_);
    return {images_[static_cast<std::size_t>(rank)].image.view(), size, format_, {}};
  }
  std::vector<Channel> channels(int rank) const {
    std::vector<Channel> mine = channels_;
    for (std::size_t c = 0; c < mine.size() && rank != without_; ++c)
      mine[c].values = images_[static_cast<std::size_t>(rank)].values[c].data();
    if (rank % 2 == 1) std::reverse(mine.begin(), mine.end());  // their order does not matter
    return mine;
  }
  const Composition& composition() const { return composition_; }

  void expect(const Frame& frame) const {
    std::vector<ChannelImage> listed;
    for (const std::int32_t rank : composition_.order)
      if (rank != without_) listed.push_back(images_[static_cast<std::size_t>(rank)]);
    const auto wanted = testing::composite_channels(listed, format_, op_, channels_, size.pixels());
    ASSERT_EQ(frame.channels.size(), channels_.size());
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const auto plane = std::find_if(frame.channels.begin(), frame.channels.end(),
                                      [&](const ChannelPlane& one) { return one.name == channels_[c].name; });
      ASSERT_NE(plane, frame.channels.end());
      ASSERT_EQ(plane->pixels, size.pixels());
      for (std::size_t i = 0; i < wanted[c].size(); ++i) {
        if (plane->type == ChannelType::uint32) {
          ASSERT_EQ(plane->values<std::uint32_t>()[i], static_cast<std::uint32_t>(wanted[c][i]))
              << plane->name;
        } else {
          ASSERT_NEAR(plane->values<float>()[i], wanted[c][i], 2e-6 * static_cast<double>(listed.size() + 1))
              << plane->name;
        }
      }
    }
  }

 private:
  std::vector<Channel> channels_;
  Format format_;
  Op op_;
  Composition composition_;
  std::vector<ChannelImage> images_;
  std::optional<int> without_;
};

class MpiChannels : public ::testing::Test {
 protected:
  int p_ = testing::world_size();
  int rank_ = testing::world_rank();
};

TEST_F(MpiChannels, EveryAlgorithmGivesTheOraclesValues) {
  for (const AlgorithmEntry& algorithm : algorithms())
    for (const int node_ranks : {0, 1, 2}) {
      SCOPED_TRACE(std::string(algorithm.name) + ", node_ranks " + std::to_string(node_ranks));
      Options options;
      options.algorithm = algorithm.name;
      options.node_ranks = node_ranks;
      Compositor compositor = testing::compositor_with({.chunk_bytes = 4096}, options);
      unsigned seed = 1;
      for (const Op op : {Op::over, Op::closest, Op::add}) {
        const Format format{seed % 2 == 0 ? Scalar::uint8 : Scalar::float32, 4, op == Op::closest};
        const ChannelScene scene(op, format, p_, ++seed, p_ > 2 ? std::optional(p_ / 2) : std::nullopt);
        const Tile tile =
            compositor.composite(scene.image(rank_), scene.composition(), scene.channels(rank_));
        ASSERT_EQ(tile.channels().size(), scene.channels(rank_).size());
        EXPECT_EQ(tile.channels().front().pixels, tile.range().size());
        const std::optional<Frame> frame = compositor.gather(tile, p_ - 1, format.depth, {}, true);
        ASSERT_EQ(frame.has_value(), rank_ == p_ - 1);
        if (frame) scene.expect(*frame);
      }
    }
}

TEST_F(MpiChannels, TilesOutliveFramesOfOtherKinds) {
  std::vector<Tile> tiles;
  {
    Compositor compositor(MPI_COMM_WORLD);
    const ChannelScene scene(Op::over, {Scalar::float16, 4, false}, p_, 5);
    for (int repeat = 0; repeat < 3; ++repeat) {
      tiles.push_back(compositor.composite(scene.image(rank_), scene.composition(), scene.channels(rank_)));
      const Tile plain = compositor.composite(scene.image(rank_), scene.composition());
      EXPECT_TRUE(plain.channels().empty());
      if (const auto frame = compositor.gather(tiles.front(), 0, false, {}, true)) scene.expect(*frame);
    }
  }
  for (const ChannelPlane& plane : tiles.front().channels())
    for (const Tile& tile : tiles)
      for (const ChannelPlane& other : tile.channels())
        if (other.name == plane.name && plane.bytes() > 0) {
          EXPECT_EQ(std::memcmp(other.memory.get(), plane.memory.get(), plane.bytes()), 0);
        }
}

// Every rank draws one pixel, so that almost all values of a plane are 0, whatever its width.
TEST_F(MpiChannels, MostlyEmptyPlanesAreGatheredWhole) {
  const Size area{64, 64};
  const Format format{Scalar::float32, 4, false};
  const auto drawn = [&](int rank) { return static_cast<std::size_t>(area.pixels() - 1 - rank); };
  std::vector<float> colours(4 * static_cast<std::size_t>(area.pixels()));
  colours[4 * drawn(rank_) + 3] = 1;
  Options options;
  options.node_ranks = 1;
  Compositor compositor(MPI_COMM_WORLD, options);
  for (const int width : {1, 2, 5}) {
    SCOPED_TRACE(width);
    std::vector<std::uint32_t> values(static_cast<std::size_t>(width * area.pixels()));
    const auto of_pixel = [&](std::size_t pixel) { return pixel * static_cast<std::size_t>(width); };
    std::fill_n(values.begin() + static_cast<std::ptrdiff_t>(of_pixel(drawn(rank_))), width, rank_ + 1);
    Channel channel;
    channel.name = "id";
    channel.type = ChannelType::uint32;
    channel.width = width;
    channel.values = values.data();
    const ConstPixels pixels{reinterpret_cast<const std::byte*>(colours.data()), nullptr};
    const Tile tile =
        compositor.composite(ImageView{pixels, area, format, {}}, Composition{}, std::vector{channel});
    const std::optional<Frame> frame = compositor.gather(tile, 0, false, {}, true);
    if (!frame) continue;
    const auto found = frame->channels.front().values<std::uint32_t>();
    std::vector<std::uint32_t> expected(values.size());
    for (int rank = 0; rank < p_; ++rank)
      std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(of_pixel(drawn(rank))), width, rank + 1);
    EXPECT_EQ(std::vector<std::uint32_t>(found.begin(), found.end()), expected);
  }
}

TEST_F(MpiChannels, EveryRankHearsWhichChannelDiffers) {
  if (p_ == 1) return;
  Compositor compositor(MPI_COMM_WORLD);
  const ChannelScene scene(Op::over, {Scalar::float32, 4, false}, p_, 6);
  const auto composite = [&](std::vector<Channel> channels) {
    return error_of<MismatchError>(
        [&] { compositor.composite(scene.image(rank_), scene.composition(), channels); });
  };
  const auto changed = [&](const std::string& name, const auto& change) {
    std::vector<Channel> channels = scene.channels(rank_);
    for (Channel& channel : channels)
      if (rank_ == 1 && channel.name == name) change(channel);
    return composite(std::move(channels));
  };
  expect_contains(changed("seen", [](Channel& channel) { channel.threshold = 0.25; }),
                  "channel seen: 2 x uint32");
  expect_contains(changed("normal", [](Channel& channel) { channel.width = 2; }),
                  "2 x float32, blend on rank 1");
  expect_contains(changed("id", [](Channel& channel) { channel.name = "ids"; }), "channel ids: ");
  expect_contains(changed("id", [](Channel& channel) { channel.values = nullptr; }),
                  "wrong argument on rank 1: channel 'id' has no values");

  // As good as new.
  const Tile tile = compositor.composite(scene.image(rank_), scene.composition(), scene.channels(rank_));
  if (const auto frame = compositor.gather(tile, 0, false, {}, true)) scene.expect(*frame);
}

}  // namespace
}  // namespace sortlast
