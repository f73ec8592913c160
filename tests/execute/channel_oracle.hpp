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
#include "sortlast/content/layers/layout.hpp"
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
      if (channel.type == ChannelType::uint32)
        values.push_back(static_cast<std::uint32_t>(random() % 5));
      else
        values.push_back(std::bit_cast<std::uint32_t>(empty && random() % 8 > 0 ? 0.0F : unit(random)));
    }
  }
  return made;
}

// The channels of some images composited pixel by pixel, in double precision.
class ChannelOracle {
 public:
  ChannelOracle(const std::vector<ChannelImage>& images, const Format& format, Op op,
                const std::vector<Channel>& channels, std::int64_t n)
      : images_(images),
        format_(format),
        op_(op),
        channels_(channels),
        in_pixel_(static_cast<std::size_t>(format.channels)),
        scale_(format.scalar == Scalar::uint8 ? 255 : 1) {
    for (const ChannelImage& image : images)
      colours_.push_back(channels_of(format, image.image.colour.data(), n));
  }

  // The images that have drawn a pixel.
  std::vector<std::size_t> drawn(std::size_t pixel) const {
    std::vector<std::size_t> found;
    for (std::size_t r = 0; r < images_.size(); ++r)
      if (draws(r, pixel)) found.push_back(r);
    return found;
  }

  // Value k of a channel.
  double value(std::size_t pixel, const std::vector<std::size_t>& drawn, std::size_t c, std::size_t k) const {
    const Channel& channel = channels_[c];
    const auto width = static_cast<std::size_t>(channel.width);
    const std::size_t at = pixel * width + k;
    const bool given = !channel.background.empty();
    ChannelRule rule = channel.rule;
    if (rule == ChannelRule::automatic)
      rule = channel.type == ChannelType::uint32 && op_ == Op::over ? ChannelRule::front : ChannelRule::blend;
    const double back = given ? channel.background[k] : 0;
    if (op_ == Op::closest) {
      const std::size_t r = winner(pixel, drawn);
      return r < images_.size() ? stored(r, c, at) : back;
    }
    if (op_ != Op::over) return reduced(drawn, c, at, given, back);
    if (rule == ChannelRule::blend) return blended(pixel, drawn, c, k, back);
    return front(pixel, drawn, c, at, rule, back);
  }

 private:
  double stored(std::size_t image, std::size_t c, std::size_t at) const {
    const std::uint32_t bits = images_[image].values[c][at];
    return channels_[c].type == ChannelType::uint32 ? static_cast<double>(bits)
                                                    : static_cast<double>(std::bit_cast<float>(bits));
  }

  double alpha(std::size_t r, std::size_t pixel) const { return colours_[r][pixel * in_pixel_ + 3] / scale_; }

  bool weighs(const Channel& channel) const {
    const bool blends =
        channel.rule == ChannelRule::blend ||
        (channel.rule == ChannelRule::automatic && (op_ != Op::over || channel.type == ChannelType::float32));
    return blends && op_ != Op::closest;
  }

  bool draws(std::size_t r, std::size_t pixel) const {
    bool any = format_.depth && !(images_[r].image.depth[pixel] == std::numeric_limits<float>::infinity());
    for (std::size_t k = 0; k < in_pixel_; ++k) any = any || colours_[r][pixel * in_pixel_ + k] != 0;
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      const auto width = static_cast<std::size_t>(channels_[c].width);
      for (std::size_t k = 0; k < width && weighs(channels_[c]); ++k)
        any = any || stored(r, c, pixel * width + k) != 0;
    }
    return any;
  }

  // Of Op::closest: the image of the smallest depth; images_.size() if none has drawn.
  std::size_t winner(std::size_t pixel, const std::vector<std::size_t>& drawn) const {
    std::size_t winner = images_.size();
    for (const std::size_t r : drawn) {
      const float depth = images_[r].image.depth[pixel];
      if (winner == images_.size() || depth < images_[winner].image.depth[pixel] ||
          (std::isnan(images_[winner].image.depth[pixel]) && !std::isnan(depth)))
        winner = r;
    }
    return winner;
  }

  // Of add, max and min.
  double reduced(const std::vector<std::size_t>& drawn, std::size_t c, std::size_t at, bool given,
                 double back) const {
    double result = back;
    bool first = true;
    const auto take = [&](double next) {
      if (first)
        result = next;
      else if (op_ == Op::add)
        result += next;
      else if (op_ == Op::max)
        result = std::max(result, next);
      else
        result = std::min(result, next);
      first = false;
    };
    for (const std::size_t r : drawn) take(stored(r, c, at));
    if (given && !first) take(back);
    return result;
  }

  double blended(std::size_t pixel, const std::vector<std::size_t>& drawn, std::size_t c, std::size_t k,
                 double back) const {
    const auto width = static_cast<std::size_t>(channels_[c].width);
    double result = 0;
    double through = 1;  // of all in front
    for (const std::size_t r : drawn) {
      result += through * stored(r, c, pixel * width + k);
      through *= 1 - alpha(r, pixel);
    }
    return result + through * back;
  }

  // In float, as the threshold is passed or not by a rounding.
  double front(std::size_t pixel, const std::vector<std::size_t>& drawn, std::size_t c, std::size_t at,
               ChannelRule rule, double back) const {
    const auto threshold = static_cast<double>(channels_[c].threshold);
    double through = 1;
    for (const std::size_t r : drawn) {
      const auto own = static_cast<double>(static_cast<float>(alpha(r, pixel)));
      const double before = 1 - through;
      through *= 1 - own;
      const double reached = rule == ChannelRule::front ? own : 1 - through;
      if (reached > threshold && (rule == ChannelRule::front || before <= threshold)) return stored(r, c, at);
    }
    return back;
  }

  const std::vector<ChannelImage>& images_;
  const Format& format_;
  Op op_;
  const std::vector<Channel>& channels_;
  std::size_t in_pixel_;
  double scale_;
  std::vector<std::vector<float>> colours_;
};

// What the channels of n pixels become; out[c][pixel * width + k], c counted as in `channels`.
inline std::vector<std::vector<double>> composite_channels(const std::vector<ChannelImage>& images,
                                                           const Format& format, Op op,
                                                           const std::vector<Channel>& channels,
                                                           std::int64_t n) {
  const ChannelOracle oracle(images, format, op, channels, n);
  std::vector<std::vector<double>> out(channels.size());
  for (std::size_t pixel = 0; pixel < static_cast<std::size_t>(n); ++pixel) {
    const std::vector<std::size_t> drawn = oracle.drawn(pixel);
    for (std::size_t c = 0; c < channels.size(); ++c)
      for (std::size_t k = 0; k < static_cast<std::size_t>(channels[c].width); ++k)
        out[c].push_back(oracle.value(pixel, drawn, c, k));
  }
  return out;
}

}  // namespace sortlast::testing
