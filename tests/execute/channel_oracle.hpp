// The oracle of channels: one pixel after the other, image by image from front to back, in double.
#pragma once

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "random_images.hpp"
#include "sortlast/channels.hpp"
#include "sortlast/execute/layers/channels/layout.hpp"
#include "sortlast/image.hpp"

namespace sortlast::testing {

// One image with its channels, and the memory that they lie in; values as the bits of 4 bytes.
struct ChannelImage {
  TestImage image;
  std::vector<std::vector<std::uint32_t>> values;  // in the order of the channels passed
};

// Random values: floats in [0, 1], small whole numbers for uint32; where nothing is drawn, what is empty,
// mostly.
inline ChannelImage random_channel_image(const Format& format, const std::vector<Channel>& channels,
                                         std::int64_t n, std::mt19937& random) {
  ChannelImage made{random_image(format, n, random), {}};
  std::uniform_real_distribution<float> unit(0.0F, 1.0F);
  const std::vector<float> colours = channels_of(format, made.image.colour.data(), n);
  const auto in_pixel = static_cast<std::size_t>(format.channels);
  for (const Channel& channel : channels) {
    std::vector<std::uint32_t>& values = made.values.emplace_back();
    const auto width = static_cast<std::size_t>(channel.width);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n) * width; ++i) {
      const std::size_t pixel = i / width;
      bool empty = true;
      for (std::size_t k = 0; k < in_pixel; ++k) empty = empty && colours[pixel * in_pixel + k] == 0;
      const float nothing = channel.rule == ChannelRule::multiply ? 1.0F : 0.0F;
      if (channel.type == ChannelType::uint32)
        values.push_back(static_cast<std::uint32_t>(random() % 5));
      else
        values.push_back(std::bit_cast<std::uint32_t>(empty && random() % 8 > 0 ? nothing : unit(random)));
    }
  }
  return made;
}

// What the channels of n pixels become; out[c][pixel * width + k], c counted as in `channels`.
inline std::vector<std::vector<double>> composite_channels(const std::vector<ChannelImage>& images,
                                                           const Format& format, Op op,
                                                           const std::vector<Channel>& channels,
                                                           std::int64_t n) {
  const auto value = [&](std::size_t image, std::size_t c, std::size_t at) {
    const std::uint32_t bits = images[image].values[c][at];
    return channels[c].type == ChannelType::uint32 ? static_cast<double>(bits)
                                                   : static_cast<double>(std::bit_cast<float>(bits));
  };
  const auto weighs = [&](const Channel& channel) {
    const bool blends =
        channel.rule == ChannelRule::blend ||
        (channel.rule == ChannelRule::automatic && (op != Op::over || channel.type == ChannelType::float32));
    return channel.rule == ChannelRule::multiply || channel.rule == ChannelRule::attenuate ||
           (blends && op != Op::closest);
  };
  std::vector<std::vector<float>> colours;
  for (const ChannelImage& image : images)
    colours.push_back(channels_of(format, image.image.colour.data(), n));
  const auto in_pixel = static_cast<std::size_t>(format.channels);
  const double scale = format.scalar == Scalar::uint8 ? 255 : 1;

  std::vector<std::vector<double>> out(channels.size());
  for (std::size_t pixel = 0; pixel < static_cast<std::size_t>(n); ++pixel) {
    // Who has drawn it?
    std::vector<std::size_t> drawn;
    for (std::size_t r = 0; r < images.size(); ++r) {
      bool any = format.depth && !(images[r].image.depth[pixel] == std::numeric_limits<float>::infinity());
      for (std::size_t k = 0; k < in_pixel; ++k) any = any || colours[r][pixel * in_pixel + k] != 0;
      for (std::size_t c = 0; c < channels.size(); ++c) {
        const auto width = static_cast<std::size_t>(channels[c].width);
        for (std::size_t k = 0; k < width && weighs(channels[c]); ++k)
          any = any || value(r, c, pixel * width + k) != (channels[c].rule == ChannelRule::multiply ? 1 : 0);
      }
      if (any) drawn.push_back(r);
    }
    const auto alpha = [&](std::size_t r) { return colours[r][pixel * in_pixel + 3] / scale; };

    // Whose pixel wins?
    std::size_t winner = images.size();
    for (const std::size_t r : drawn) {
      if (op != Op::closest) break;
      const float depth = images[r].image.depth[pixel];
      if (winner == images.size() || depth < images[winner].image.depth[pixel] ||
          (std::isnan(images[winner].image.depth[pixel]) && !std::isnan(depth)))
        winner = r;
    }

    for (std::size_t c = 0; c < channels.size(); ++c) {
      const Channel& channel = channels[c];
      const auto width = static_cast<std::size_t>(channel.width);
      const bool given = !channel.background.empty();
      ChannelRule rule = channel.rule;
      if (rule == ChannelRule::automatic)
        rule =
            channel.type == ChannelType::uint32 && op == Op::over ? ChannelRule::front : ChannelRule::blend;
      for (std::size_t k = 0; k < width; ++k) {
        const double nothing = rule == ChannelRule::multiply ? 1 : 0;
        const double back = given ? channel.background[k] : nothing;
        const std::size_t at = pixel * width + k;
        double result = back;
        double through = 1;  // of all in front
        if (op == Op::closest) {
          if (winner < images.size()) result = value(winner, c, at);
        } else if (op != Op::over) {
          bool first = true;
          const auto take = [&](double next) {
            if (first)
              result = next;
            else if (op == Op::add)
              result += next;
            else if (op == Op::max)
              result = std::max(result, next);
            else
              result = std::min(result, next);
            first = false;
          };
          for (const std::size_t r : drawn) take(value(r, c, at));
          if (given && !first) take(back);
        } else if (rule == ChannelRule::blend || rule == ChannelRule::attenuate) {
          result = 0;
          for (const std::size_t r : drawn) {
            result += through * value(r, c, at);
            if (rule == ChannelRule::blend) {
              through *= 1 - alpha(r);
            } else {
              for (std::size_t t = 0; t < channels.size(); ++t)
                if (channels[t].name == channel.transmission) {
                  const auto shares = static_cast<std::size_t>(channels[t].width);
                  through *= value(r, t, shares == 1 ? pixel : pixel * shares + k);
                }
            }
          }
          result += through * back;
        } else if (rule == ChannelRule::multiply) {
          for (const std::size_t r : drawn) result *= value(r, c, at);
        } else {
          for (const std::size_t r : drawn) {
            // In float, as the threshold is passed or not by a rounding.
            const auto own = static_cast<float>(alpha(r));
            const double before = 1 - through;
            through *= 1 - static_cast<double>(own);
            const double reached = rule == ChannelRule::front ? static_cast<double>(own) : 1 - through;
            if (reached > static_cast<double>(channel.threshold) &&
                (rule == ChannelRule::front || before <= static_cast<double>(channel.threshold))) {
              result = value(r, c, at);
              break;
            }
          }
        }
        out[c].push_back(result);
      }
    }
  }
  return out;
}

}  // namespace sortlast::testing
