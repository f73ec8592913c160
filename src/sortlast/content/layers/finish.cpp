// Finished pixels: the joined layer in dense planes, and the background.
#include "sortlast/content/layers/finish.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <limits>

#include "sortlast/content/layers/join.hpp"
#include "sortlast/content/layers/rules.hpp"

namespace sortlast {
namespace {

// The bits of a channel's values in undrawn pixels.
std::vector<std::uint32_t> behind(const SettledChannel& channel) {
  if (!channel.background.empty()) return channel.background;
  return std::vector<std::uint32_t>(channel.width, 0);
}

void fill(const std::vector<std::uint32_t>& value, std::byte* to, std::int64_t n) {
  const std::size_t bytes = value.size() * sizeof(std::uint32_t);
  const std::size_t all = static_cast<std::size_t>(n) * bytes;
  if (all == 0) return;
  if (std::all_of(value.begin(), value.end(), [](std::uint32_t bits) { return bits == 0; })) {
    std::memset(to, 0, all);
    return;
  }
  for (std::size_t at = 0; at < all; at += bytes) std::memcpy(to + at, value.data(), bytes);
}

// The colours and depths, blended with the background.
void finish_colours(const ChannelLayout& layout, const Layer& layer, std::int64_t n,
                    const Background* background, Pixels out) {
  const Link link{layer.pixels, layer.shape.scalar, Side::back, true, layer.runs, 0};
  blend(layout.op, layout.format.channels, layout.format.depth, {&link, 1}, out, layout.format.scalar, n,
        background);
}

// The values of a channel, blended with its background in every pixel.
void finish_weighed(const ChannelLayout& layout, const Layer& layer, std::size_t c,
                    const std::vector<float>& alphas, std::byte* out) {
  const SettledChannel& channel = layout.channels[c];
  with_rule(channel, layout.op, [&](auto rule) {
    using T = RuleValueOf<decltype(rule)>;
    std::vector<T> back(channel.width);
    std::memcpy(back.data(), channel.background.data(), channel.bytes());
    for (const ActiveRun& run : layer.runs) {
      const T* front = layer.values<T>(c) + run.at * channel.width;
      T* to = reinterpret_cast<T*>(out) + run.begin * channel.width;
      for (std::size_t i = run.at; i < std::size_t{run.at} + run.count; ++i) {
        const float through = alphas.empty() ? 0.0F : 1.0F - alphas[i];
        for (std::size_t k = 0; k < channel.width; ++k) *to++ = rule(*front++, back[k], through);
      }
    }
  });
}

void finish_channel(const ChannelLayout& layout, const Layer& layer, std::size_t c,
                    const std::vector<float>& alphas, std::byte* out) {
  const SettledChannel& channel = layout.channels[c];
  const std::size_t bytes = channel.bytes();
  const auto copy = [&](std::size_t to, std::size_t from, std::size_t count) {
    std::memcpy(out + to * bytes, layer.channels[c] + from * bytes, count * bytes);
  };
  if (channel.rule == ChannelRule::front) {
    for (const ActiveRun& run : layer.runs)
      for (std::uint32_t i = 0; i < run.count; ++i)
        if (picked(layer.picks, layout.pick_bytes, run.at + i, channel.pick))
          copy(run.begin + i, run.at + i, 1);
  } else if (channel.background.empty() || layout.op == Op::closest) {
    for (const ActiveRun& run : layer.runs) copy(run.begin, run.at, run.count);
  } else {
    finish_weighed(layout, layer, c, alphas, out);
  }
}

// Channels with the rule accumulated: from the front image on, until the alpha passes the threshold.
void finish_accumulated(const ChannelLayout& layout, const std::vector<Layer>& layers, std::int64_t n,
                        const std::vector<std::byte*>& out) {
  std::vector<float> alphas(static_cast<std::size_t>(n), 0.0F);  // composited up to the current layer
  for (const Layer& layer : layers) {
    const std::vector<float> own = alphas_of(layer.shape.scalar, layer.pixels.colour, layer.shape.pixels);
    for (const ActiveRun& run : layer.runs) {
      for (std::size_t i = 0; i < run.count; ++i) {
        const std::size_t pixel = run.begin + i;
        const float before = alphas[pixel];
        alphas[pixel] = before + (1.0F - before) * own[run.at + i];
        for (std::size_t c = 0; c < layout.channels.size(); ++c) {
          const SettledChannel& channel = layout.channels[c];
          if (channel.rule != ChannelRule::accumulated || before > channel.threshold ||
              !(alphas[pixel] > channel.threshold))
            continue;
          std::memcpy(out[c] + pixel * channel.bytes(), layer.channels[c] + (run.at + i) * channel.bytes(),
                      channel.bytes());
        }
      }
    }
  }
}

bool needs_alphas(const ChannelLayout& layout) {
  return layout.op == Op::over &&
         std::any_of(layout.channels.begin(), layout.channels.end(), [](const SettledChannel& channel) {
           return channel.rule == ChannelRule::blend && !channel.background.empty();
         });
}

}  // namespace

void finish_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts,
                   Range pixels, const Background* background, const FinishedPlanes& out) {
  const std::int64_t n = pixels.size();
  const std::vector<Layer> layers = collect_layers(layout, parts, pixels);
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    fill(behind(layout.channels[c]), out.channels[c], n);
  if (layers.empty()) {
    fill_absent(layout.op, layout.format, background != nullptr, out.pixels, n);
    if (background != nullptr) background->apply(out.pixels, n);
    return;
  }

  std::deque<Bytes> memory;
  const Layer joined = join_all(layout, layers, pixels, memory);
  finish_colours(layout, joined, n, background, out.pixels);
  std::vector<float> alphas;
  if (needs_alphas(layout))
    alphas = alphas_of(joined.shape.scalar, joined.pixels.colour, joined.shape.pixels);
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    if (layout.channels[c].rule != ChannelRule::accumulated)
      finish_channel(layout, joined, c, alphas, out.channels[c]);
  if (layout.accumulates) finish_accumulated(layout, layers, n, out.channels);
}

}  // namespace sortlast
