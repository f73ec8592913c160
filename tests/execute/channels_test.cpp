// Pixels with channels: joined in any grouping, cut anywhere, finished; and strings that are damaged.
#include "sortlast/content/layers/own.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

#include "execute/channel_oracle.hpp"
#include "image/images.hpp"
#include "random_images.hpp"
#include "sortlast/content/layers/finish.hpp"
#include "sortlast/content/layers/image_codec.hpp"
#include "sortlast/content/layers/join.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/engine/serial.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {
namespace {

using testing::ChannelImage;

constexpr std::int64_t width = 23;
constexpr std::int64_t height = 9;
constexpr std::int64_t n = width * height;

Channel made(const std::string& name, ChannelType type, int values, ChannelRule rule, float threshold = 0,
             std::vector<double> background = {}) {
  return {name, type, values, nullptr, rule, threshold, std::move(background)};
}

// Channels of every rule that the operator knows.
std::vector<Channel> channels_for(Op op) {
  using enum ChannelRule;
  constexpr auto id = ChannelType::uint32;
  constexpr auto real = ChannelType::float32;
  if (op == Op::closest)
    return {made("id", id, 1, automatic), made("normal", real, 3, automatic, 0, {0, 0, 1}),
            made("pair", id, 2, blend, 0, {7, 9})};
  if (op != Op::over)
    return {made("count", id, 1, automatic), made("values", real, 5, blend),
            made("far", real, 2, blend, 0, {0.5, 0.25})};
  return {made("id", id, 1, automatic, 0, {77}),    made("normal", real, 3, blend),
          made("lit", real, 2, blend, 0, {0.5, 1}), made("solid", id, 2, front, 0.5),
          made("median", id, 1, accumulated, 0.5),  made("depth90", real, 1, accumulated, 0.9F, {-1})};
}

OwnImage own_image(const ChannelLayout& layout, const ChannelImage& image, std::uint32_t position) {
  OwnImage own{position, {0, 0, width, height}, image.image.view(), {0, 0, width, height}, {}};
  for (const SettledChannel& channel : layout.channels)
    own.channels.push_back(reinterpret_cast<const std::byte*>(image.values[channel.source].data()));
  return own;
}

// Finished planes and their memory.
struct Finished {
  Finished(const ChannelLayout& layout, Range pixels) : image(layout.format, pixels.size()) {
    planes.pixels = image.pixels();
    for (const SettledChannel& channel : layout.channels) {
      values.emplace_back(static_cast<std::size_t>(pixels.size()) * channel.width);
      planes.channels.push_back(reinterpret_cast<std::byte*>(values.back().data()));
    }
  }

  testing::Image image;
  std::vector<std::vector<std::uint32_t>> values;
  FinishedPlanes planes;
};

std::vector<std::span<const std::byte>> spans(const std::vector<Bytes>& strings) {
  std::vector<std::span<const std::byte>> views;
  for (const Bytes& string : strings) views.push_back(string.view());
  return views;
}

// Join all strings two, three or four at a time, whichever they are, and finish the last few in one go.
void finish_in_any_grouping(const ChannelLayout& layout, std::vector<Bytes> strings, Range pixels,
                            std::mt19937& random, Finished& out) {
  while (strings.size() > 1 + random() % 3) {
    std::shuffle(strings.begin(), strings.end(), random);
    const std::size_t taken = std::min<std::size_t>(strings.size(), 2 + random() % 3);
    const std::vector<Bytes> some(strings.end() - static_cast<std::ptrdiff_t>(taken), strings.end());
    strings.resize(strings.size() - taken);
    join_layers(layout, spans(some), pixels, strings.emplace_back());
  }
  finish_layers(layout, spans(strings), pixels, nullptr, out.planes);
}

// The finished values of `pixels`, from images at shuffled positions.
void check_frame(Op op, const Format& format, std::size_t p, std::mt19937& random) {
  const std::vector<Channel> channels = channels_for(op);
  const ChannelLayout layout = settle(channels, op, format);
  std::vector<ChannelImage> images;
  for (std::size_t r = 0; r < p; ++r)
    images.push_back(testing::random_channel_image(format, channels, n, random));
  const auto wanted = testing::composite_channels(images, format, op, channels, n);

  const std::int64_t begin = static_cast<std::int64_t>(random()) % n;
  const std::int64_t end = begin + static_cast<std::int64_t>(random()) % (n - begin + 1);
  std::vector<Finished> twice;
  for (int repeat = 0; repeat < 2; ++repeat) {
    // Encode a stretch, and cut that of the pixels out of it.
    const Range pixels{begin, end};
    std::vector<Bytes> strings;
    for (std::size_t r = 0; r < p; ++r) {
      const Range around{begin - static_cast<std::int64_t>(random()) % (begin + 1),
                         end + static_cast<std::int64_t>(random()) % (n - end + 1)};
      Bytes whole;
      append_own(layout, own_image(layout, images[r], static_cast<std::uint32_t>(r)), width, around, whole);
      cut_layers(layout, whole.view(), around, pixels, strings.emplace_back());
    }
    Finished& out = twice.emplace_back(layout, pixels);
    finish_in_any_grouping(layout, strings, pixels, random, out);
    for (std::size_t c = 0; c < layout.channels.size(); ++c) {
      const SettledChannel& channel = layout.channels[c];
      for (std::size_t i = 0; i < out.values[c].size(); ++i) {
        const double right = wanted[channel.source][static_cast<std::size_t>(begin) * channel.width + i];
        if (channel.type == ChannelType::uint32)
          ASSERT_EQ(out.values[c][i], static_cast<std::uint32_t>(right)) << channel.name << " " << i;
        else
          ASSERT_NEAR(std::bit_cast<float>(out.values[c][i]), right, 1e-6 * static_cast<double>(p))
              << channel.name << " " << i;
      }
    }
  }
  EXPECT_EQ(twice[0].values, twice[1].values) << "bits that depend on the grouping";
  const auto bytes = static_cast<std::size_t>(end - begin) * format.colour_bytes();
  if (bytes > 0) {
    EXPECT_EQ(std::memcmp(twice[0].planes.pixels.colour, twice[1].planes.pixels.colour, bytes), 0);
  }

  // The colours are those of images without channels, but for what lies at infinity: there an image without a
  // colour may win by its position, if it has no channels.
  std::vector<ConstPixels> views;
  for (const ChannelImage& image : images) views.push_back(image.image.view());
  const std::vector<float> found = testing::channels_of(format, twice[0].planes.pixels.colour, end - begin);
  std::vector<std::byte> serial(static_cast<std::size_t>(n) * format.colour_bytes());
  std::vector<float> depth(static_cast<std::size_t>(n));
  std::vector<Link> chain;
  for (const ConstPixels view : views) chain.push_back({view, format.scalar});
  blend(op, format.channels, format.depth, chain, {serial.data(), format.depth ? depth.data() : nullptr},
        format.scalar, n);
  const std::vector<float> right = testing::channels_of(format, serial.data(), n);
  const float bound = testing::tolerance(format, op, static_cast<std::int64_t>(p), true);
  const auto in_pixel = static_cast<std::size_t>(format.channels);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(begin) * in_pixel + i;
    if (op == Op::closest && depth[at / in_pixel] == std::numeric_limits<float>::infinity()) continue;
    ASSERT_NEAR(found[i], right[at], bound) << i;
  }
}

TEST(Channels, AnyGroupingGivesTheSerialComposite) {
  std::mt19937 random(11);
  for (const Op op : testing::all_ops)
    for (const Format& format : testing::formats_of(op)) {
      for (const std::size_t p : {1U, 2U, 3U, 5U, 8U, 13U, 16U}) {
        SCOPED_TRACE(std::string(op_name(op)) + " " + format_name(format) + " p = " + std::to_string(p));
        check_frame(op, format, p, random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
}

// Every algorithm gives the oracle's values, and all of them the same bits.
void check_algorithms(Op op, const Format& format, int p, std::mt19937& random) {
  const std::vector<Channel> channels = channels_for(op);
  const ChannelLayout layout = settle(channels, op, format);
  std::vector<std::optional<ChannelImage>> images;  // of rank r, at position p - 1 - r
  std::vector<ChannelImage> present;
  for (int r = 0; r < p; ++r) {
    images.emplace_back();
    if (p > 2 && r == p / 2) continue;  // without an image
    images.back() = testing::random_channel_image(format, channels, n, random);
    present.insert(present.begin(), *images.back());
  }
  const auto wanted = testing::composite_channels(present, format, op, channels, n);

  std::optional<Finished> first;
  for (const AlgorithmEntry& algorithm : algorithms()) {
    Setting setting{p, n};
    setting.commutes = true;
    const Schedule schedule = make_schedule(algorithm.name, setting);
    Finished out(layout, {0, n});
    std::vector<std::unique_ptr<ImageCodec>> kept;
    std::vector<const StringCodec*> contents;
    for (int r = 0; r < p; ++r) {
      std::vector<OwnImage> own;
      const auto& image = images[static_cast<std::size_t>(r)];
      if (image) own.push_back(own_image(layout, *image, static_cast<std::uint32_t>(p - 1 - r)));
      kept.push_back(std::make_unique<ImageCodec>(ImageFrame{layout, width}, std::move(own)));
      std::vector<std::byte*> planes = out.planes.channels;
      const Range piece = schedule.piece(r);
      for (std::size_t c = 0; c < planes.size(); ++c)
        planes[c] += static_cast<std::size_t>(piece.begin) * layout.channels[c].bytes();
      kept.back()->put_channels(piece, planes);
      contents.push_back(kept.back().get());
    }
    const StringFrame frame =
        execute_serial(schedule, contents, format, static_cast<std::uint32_t>(random()), 1 + n / 5);
    const std::string& what = schedule.name();
    for (std::size_t c = 0; c < layout.channels.size(); ++c) {
      const SettledChannel& channel = layout.channels[c];
      for (std::size_t i = 0; i < out.values[c].size(); ++i) {
        const double right = wanted[channel.source][i];
        if (channel.type == ChannelType::uint32)
          ASSERT_EQ(out.values[c][i], static_cast<std::uint32_t>(right)) << what << " " << channel.name;
        else
          ASSERT_NEAR(std::bit_cast<float>(out.values[c][i]), right, 1e-6 * p) << what << " " << channel.name;
      }
    }
    const std::size_t bytes = static_cast<std::size_t>(n) * format.colour_bytes();
    std::memcpy(out.planes.pixels.colour, frame.pixels.view().colour, bytes);
    if (!first) {
      first.emplace(std::move(out));
    } else {
      ASSERT_EQ(out.values, first->values) << what;
      ASSERT_EQ(std::memcmp(out.planes.pixels.colour, first->planes.pixels.colour, bytes), 0) << what;
    }
  }
}

TEST(Channels, EveryAlgorithmGivesTheSameBits) {
  std::mt19937 random(29);
  for (const Op op : testing::all_ops)
    for (int p = 1; p <= 16; ++p) {
      SCOPED_TRACE(std::string(op_name(op)) + ", p = " + std::to_string(p));
      const Scalar scalar = testing::all_scalars[static_cast<std::size_t>(p) % 3];
      check_algorithms(op, {scalar, 4, op == Op::closest || p % 2 == 0}, p, random);
      if (::testing::Test::HasFatalFailure()) return;
    }
}

// Images of boxes at positions with gaps, several a rank.
TEST(Channels, BoxesTakePartWhereTheyLie) {
  std::mt19937 random(5);
  const Format format{Scalar::float32, 4, false};
  const std::vector<Channel> channels = {made("id", ChannelType::uint32, 1, ChannelRule::front, 0.25F)};
  const ChannelLayout layout = settle(channels, Op::over, format);
  const Rectangle boxes[] = {{0, 0, 5, 9}, {3, 2, 20, 6}, {1, 1, 23, 2}, {4, 4, 4, 4}};
  std::vector<ChannelImage> whole;
  Bytes string;
  std::vector<std::vector<float>> kept;
  std::vector<std::vector<std::uint32_t>> ids;
  for (std::size_t b = 0; b < std::size(boxes); ++b) {
    const Rectangle box = boxes[b];
    ChannelImage image = testing::random_channel_image(format, channels, n, random);
    std::vector<float>& colours = kept.emplace_back();
    std::vector<std::uint32_t>& id = ids.emplace_back();
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t x = i % width;
      const std::int64_t y = i / width;
      auto* const pixel = reinterpret_cast<float*>(image.image.colour.data()) + i * 4;
      if (x >= box.x0 && x < box.x1 && y >= box.y0 && y < box.y1) {
        colours.insert(colours.end(), pixel, pixel + 4);
        id.push_back(image.values[0][static_cast<std::size_t>(i)]);
      } else {
        std::fill(pixel, pixel + 4, 0.0F);
      }
    }
    whole.push_back(std::move(image));
    append_own(layout,
               {static_cast<std::uint32_t>(3 * b + 1),
                box,
                {reinterpret_cast<const std::byte*>(colours.data()), nullptr},
                box,
                {reinterpret_cast<const std::byte*>(id.data())}},
               width, {0, n}, string);
  }
  const auto wanted = testing::composite_channels(whole, format, Op::over, channels, n);
  Finished out(layout, {0, n});
  const std::span<const std::byte> part = string.view();
  finish_layers(layout, {&part, 1}, {0, n}, nullptr, out.planes);
  for (std::size_t i = 0; i < out.values[0].size(); ++i)
    ASSERT_EQ(out.values[0][i], static_cast<std::uint32_t>(wanted[0][i])) << i;
}

// What covers a whole node of the tree is one layer, and closest always is.
TEST(Channels, NeighboursInDepthAreJoined) {
  std::mt19937 random(3);
  for (const Op op : {Op::over, Op::closest}) {
    const Format format{Scalar::float32, 4, true};
    std::vector<Channel> channels = {made("id", ChannelType::uint32, 1, ChannelRule::automatic)};
    const ChannelLayout layout = settle(channels, op, format);
    const ChannelImage image = testing::random_channel_image(format, channels, n, random);
    std::vector<Bytes> strings;
    for (const std::uint32_t position : {4U, 5U, 6U, 7U, 9U, 10U, 11U, 12U})
      append_own(layout, own_image(layout, image, position), width, {0, n}, strings.emplace_back());
    Bytes joined;
    join_layers(layout, spans(strings), {0, n}, joined);
    std::vector<Layer> layers;
    read_string(layout, joined.view(), {0, n}, layers);
    std::vector<DepthRange> held;
    for (const Layer& layer : layers) held.push_back(layer.shape.places);
    if (op == Op::closest)
      EXPECT_EQ(held.size(), 1U);
    else
      EXPECT_EQ(held, (std::vector<DepthRange>{{4, 7}, {9, 9}, {10, 11}, {12, 12}}));
  }
}

TEST(Channels, NobodyDrewShowsTheBackground) {
  const Format format{Scalar::uint8, 4, true};
  const std::vector<Channel> channels = channels_for(Op::over);
  const ChannelLayout layout = settle(channels, Op::over, format);
  Finished out(layout, {0, n});
  const Background white(Op::over, format, std::vector<float>{1, 1, 1, 1});
  finish_layers(layout, {}, {0, n}, &white, out.planes);
  EXPECT_EQ(out.planes.pixels.colour[0], std::byte{255});
  EXPECT_EQ(out.planes.pixels.depth[n - 1], std::numeric_limits<float>::infinity());
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const SettledChannel& channel = layout.channels[c];
    const Channel& passed = channels[channel.source];
    for (std::size_t k = 0; k < channel.width; ++k) {
      const double value = channel.type == ChannelType::uint32
                               ? static_cast<double>(out.values[c][k])
                               : static_cast<double>(std::bit_cast<float>(out.values[c][k]));
      EXPECT_EQ(value, passed.background.empty() ? 0 : passed.background[k]) << channel.name;
    }
  }
}

// No damage of a byte makes a read beyond the string or a crash; most are found.
TEST(Channels, DamagedStringsAreRefused) {
  std::mt19937 random(8);
  const Format format{Scalar::float16, 4, true};
  const std::vector<Channel> channels = channels_for(Op::over);
  const ChannelLayout layout = settle(channels, Op::over, format);
  std::vector<Bytes> strings(2);
  for (std::uint32_t r = 0; r < 2; ++r) {
    const ChannelImage image = testing::random_channel_image(format, channels, n, random);
    append_own(layout, own_image(layout, image, r), width, {0, n}, strings[r]);
  }
  int found = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<Bytes> damaged(2);
    for (std::size_t r = 0; r < damaged.size(); ++r) damaged[r].append(strings[r].view());
    Bytes& one = damaged[0];
    const std::size_t at = random() % (i % 2 == 0 ? 64 : one.size());
    one.data()[at] ^= static_cast<std::byte>(1U << (random() % 8));
    if (i % 5 == 0) one.shrink(random() % one.size());
    Finished out(layout, {0, n});
    try {
      Bytes joined;
      join_layers(layout, spans(damaged), {0, n}, joined);
      finish_layers(layout, spans(damaged), {0, n}, nullptr, out.planes);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("corrupt"), std::string::npos);
      ++found;
    }
  }
  EXPECT_GT(found, 150);
}

// ---- Settling ---------------------------------------------------------------------------------------

std::string problem_of_channels(const std::vector<Channel>& channels, Op op = Op::over, int colours = 4) {
  try {
    settle(channels, op, {Scalar::float32, colours, true});
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST(Channels, WrongOnesAreNamed) {
  using enum ChannelRule;
  constexpr auto id = ChannelType::uint32;
  constexpr auto real = ChannelType::float32;
  const auto has = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(problem_of_channels({made("", id, 1, front)}), "name");
  has(problem_of_channels({made("a=b", id, 1, front)}), "'='");
  has(problem_of_channels({made("id", id, 0, front)}), "0 values a pixel");
  has(problem_of_channels({made("id", id, 1, blend)}), "'id' is uint32");
  has(problem_of_channels({made("id", id, 1, front, 1)}), "threshold 1;");
  has(problem_of_channels({made("id", id, 1, front, -0.5F)}), "threshold -0.5");
  has(problem_of_channels({made("id", id, 1, front, std::nanf(""))}), "threshold nan");
  has(problem_of_channels({made("id", id, 1, front)}, Op::closest), "which is for the operator over");
  has(problem_of_channels({made("id", id, 1, accumulated)}, Op::add), "with add expected blend");
  has(problem_of_channels({made("id", id, 1, front), made("id", real, 1, blend)}), "two channels 'id'");
  has(problem_of_channels({made("id", id, 2, front, 0, {1})}), "background of 1 values; expected 2");
  has(problem_of_channels({made("id", id, 1, front, 0, {0.5})}), "uint32 does not hold");
  has(problem_of_channels({made("id", id, 1, front, 0, {4294967296.0})}), "uint32 does not hold");
  has(problem_of_channels({made("v", real, 1, blend, 0, {1e300})}), "float32 does not hold");
  has(problem_of_channels({made("v", real, 1, blend, 0, {std::nan("")})}), "not a number");
  EXPECT_EQ(problem_of_channels({made("v", real, 1, blend), made("id", id, 4, automatic)}, Op::max, 3), "");
}

TEST(Channels, TextTellsAllThatRanksMustAgreeOn) {
  const ChannelLayout layout = settle(channels_for(Op::over), Op::over, {Scalar::float32, 4, false});
  std::vector<std::string> texts;
  for (const SettledChannel& channel : layout.channels) texts.push_back(channel.name + ": " + text(channel));
  EXPECT_EQ(texts[0], "depth90: 1 x float32, accumulated above 0.899999976, background -1");
  EXPECT_EQ(texts[1], "id: 1 x uint32, front above 0, background 77");
  EXPECT_EQ(texts[2], "lit: 2 x float32, blend, background 0.5 1");
}

}  // namespace
}  // namespace sortlast
