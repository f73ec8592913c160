// Images of boxes with channels, several per rank: every algorithm against the oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "execute/channel_oracle.hpp"
#include "sortlast/content/layers/image_codec.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

using testing::ChannelImage;

constexpr std::int64_t width = 23;
constexpr std::int64_t height = 9;
constexpr std::int64_t n = width * height;

// Pixels of an image outside a box become empty, and those inside are copied to planes of the box.
struct BoxPart {
  BoxPart(ChannelImage& image, const Rectangle& box, const std::vector<Channel>& channels) {
    values.resize(channels.size());
    for (std::int64_t i = 0; i < n; ++i) {
      const bool inside =
          i % width >= box.x0 && i % width < box.x1 && i / width >= box.y0 && i / width < box.y1;
      auto* const pixel = reinterpret_cast<float*>(image.image.colour.data()) + i * 4;
      if (inside) colours.insert(colours.end(), pixel, pixel + 4);
      if (!inside) std::fill(pixel, pixel + 4, 0.0F);
      for (std::size_t c = 0; c < channels.size(); ++c) {
        std::uint32_t* const at = image.values[c].data() + i * channels[c].width;
        if (inside) values[c].insert(values[c].end(), at, at + channels[c].width);
        if (!inside) std::fill(at, at + channels[c].width, 0U);
      }
    }
  }

  std::vector<float> colours;
  std::vector<std::vector<std::uint32_t>> values;
};

// Several images per rank, of which a table knows the boxes, carry channels through every algorithm.
TEST(BoxChannels, EveryAlgorithmCarriesThem) {
  constexpr int p = 3;
  std::mt19937 random(17);
  const Format format{Scalar::float32, 4, false};
  const std::vector<Channel> channels = {{"id", ChannelType::uint32, 1, nullptr, ChannelRule::front, 0.25F},
                                         {"normal", ChannelType::float32, 3, nullptr, ChannelRule::blend}};
  const Rectangle boxes[] = {{0, 0, 5, 9}, {3, 2, 20, 6}, {1, 1, 23, 2}, {4, 0, 12, 9}, {0, 5, 23, 8}};
  ChannelLayout layout = settle(channels, Op::over, format);
  std::vector<ChannelImage> whole;
  std::vector<BoxPart> parts;
  std::vector<PlacedBox> placed;
  std::vector<std::vector<OwnImage>> own(p);
  for (std::size_t b = 0; b < std::size(boxes); ++b) {
    whole.push_back(testing::random_channel_image(format, channels, n, random));
    parts.emplace_back(whole.back(), boxes[b], channels);
    auto& of_rank = own[b % p];
    placed.push_back({static_cast<std::int64_t>(b), boxes[b], static_cast<std::int32_t>(b % p),
                      static_cast<std::int32_t>(of_rank.size())});
    of_rank.push_back({static_cast<std::uint32_t>(b),
                       boxes[b],
                       {reinterpret_cast<const std::byte*>(parts[b].colours.data()), nullptr},
                       boxes[b],
                       {}});
    for (const SettledChannel& channel : layout.channels)
      of_rank.back().channels.push_back(
          reinterpret_cast<const std::byte*>(parts[b].values[channel.source].data()));
  }
  layout.boxes = std::make_shared<const BoxTable>(placed, Size{width, height});
  const auto wanted = testing::composite_channels(whole, format, Op::over, channels, n);

  for (const AlgorithmEntry& algorithm : algorithms()) {
    Setting setting{p, n};
    setting.commutes = true;
    const Schedule schedule = make_schedule(algorithm.name, setting);
    std::vector<std::uint32_t> ids(static_cast<std::size_t>(n));
    std::vector<float> normals(static_cast<std::size_t>(3 * n));
    const std::vector<std::byte*> all{reinterpret_cast<std::byte*>(ids.data()),
                                      reinterpret_cast<std::byte*>(normals.data())};
    std::vector<std::unique_ptr<ImageCodec>> kept;
    std::vector<const StringCodec*> contents;
    for (int r = 0; r < p; ++r) {
      kept.push_back(
          std::make_unique<ImageCodec>(ImageFrame{layout, width}, own[static_cast<std::size_t>(r)]));
      std::vector<std::byte*> planes = all;
      for (std::size_t c = 0; c < planes.size(); ++c)
        planes[c] += static_cast<std::size_t>(schedule.piece(r).begin) * layout.channels[c].bytes();
      kept.back()->put_channels(schedule.piece(r), planes);
      contents.push_back(kept.back().get());
    }
    execute_serial(schedule, contents, format, 3, 40);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ASSERT_EQ(ids[i], static_cast<std::uint32_t>(wanted[0][i])) << algorithm.name << " " << i;
    for (std::size_t i = 0; i < normals.size(); ++i)
      ASSERT_NEAR(normals[i], wanted[1][i], 1e-5) << algorithm.name << " " << i;
  }
}

}  // namespace
}  // namespace sortlast
