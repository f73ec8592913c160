// Finds and packs the drawn pixels of a rank's own images.
#include "sortlast/content/layers/own.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

// Consecutive drawn pixels of one row.
struct Found {
  std::uint32_t begin;  // counted from the first requested pixel
  std::uint32_t count;
  std::size_t at;  // index in the image
};

// A channel that shows by itself that a pixel was drawn: a bit of a value, within the mask `looked_at`, is
// set.
struct Telling {
  const std::uint32_t* values;
  std::size_t width;
  std::uint32_t looked_at;
};

std::vector<Telling> telling_channels(const ChannelLayout& layout, const OwnImage& image) {
  constexpr std::uint32_t but_the_sign = 0x7fffffff;  // -0 is empty as well
  std::vector<Telling> telling;
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    const SettledChannel& channel = layout.channels[c];
    if (channel.rule == ChannelRule::blend && layout.op != Op::closest)
      telling.push_back({reinterpret_cast<const std::uint32_t*>(image.channels[c]), channel.width,
                         channel.type == ChannelType::uint32 ? ~std::uint32_t{0} : but_the_sign});
  }
  return telling;
}

template <std::size_t bytes>
bool any_bit(const std::byte* pixel) {
  std::array<std::byte, bytes> held;
  std::memcpy(held.data(), pixel, bytes);
  constexpr std::array<std::byte, bytes> empty{};
  return held != empty;
}

// Append the drawn pixels of a row: pixels [at, at + count) of the image; the first has the number `begin`.
template <std::size_t colour_bytes>
void find_in_row(const OwnImage& image, const std::vector<Telling>& telling, std::size_t at,
                 std::uint32_t count, std::uint32_t begin, std::vector<Found>& found) {
  constexpr float far = std::numeric_limits<float>::infinity();
  const auto drawn = [&](std::size_t pixel) {
    if (any_bit<colour_bytes>(image.pixels.colour + pixel * colour_bytes)) return true;
    if (image.pixels.depth != nullptr && image.pixels.depth[pixel] != far) return true;
    return std::any_of(telling.begin(), telling.end(), [&](const Telling& channel) {
      const std::uint32_t* const values = channel.values + pixel * channel.width;
      return std::any_of(values, values + channel.width,
                         [&](std::uint32_t value) { return (value & channel.looked_at) != 0; });
    });
  };
  for (std::uint32_t i = 0; i < count;) {
    while (i < count && !drawn(at + i)) ++i;
    const std::uint32_t from = i;
    while (i < count && drawn(at + i)) ++i;
    if (i > from) found.push_back({begin + from, i - from, at + from});
  }
}

// The drawn pixels of the image within `pixels`, row by row.
std::vector<Found> find_drawn(const ChannelLayout& layout, const OwnImage& image, std::int64_t width,
                              Range pixels) {
  std::vector<Found> found;
  const Rectangle& active = image.active;
  if (pixels.empty() || active.x0 >= active.x1 || active.y0 > (pixels.end - 1) / width ||
      active.y1 <= pixels.begin / width)
    return found;
  const std::vector<Telling> telling = telling_channels(layout, image);
  const std::int64_t box_width = image.box.x1 - image.box.x0;
  with_colour_bytes(layout.format.colour_bytes(), [&](auto bytes) {
    const std::int64_t last = std::min(active.y1 - 1, (pixels.end - 1) / width);
    for (std::int64_t y = std::max(active.y0, pixels.begin / width); y <= last; ++y) {
      const std::int64_t x0 = std::max(active.x0, pixels.begin - y * width);
      const std::int64_t x1 = std::min(active.x1, pixels.end - y * width);
      if (x0 >= x1) continue;
      const std::int64_t at = (y - image.box.y0) * box_width + x0 - image.box.x0;
      find_in_row<decltype(bytes)::value>(image, telling, static_cast<std::size_t>(at),
                                          static_cast<std::uint32_t>(x1 - x0),
                                          static_cast<std::uint32_t>(y * width + x0 - pixels.begin), found);
    }
  });
  return found;
}

// The runs of these pixels; adjacent rows form one run.
std::vector<ActiveRun> runs_of(const std::vector<Found>& found) {
  std::vector<ActiveRun> runs;
  std::uint32_t at = 0;
  for (const Found& row : found) {
    if (!runs.empty() && runs.back().begin + runs.back().count == row.begin) {
      runs.back().count += row.count;
    } else {
      runs.push_back({row.begin, row.count, at});
    }
    at += row.count;
  }
  return runs;
}

// Set the picks: pixels with values that may be shown, for each channel with the rule front.
void pick(const ChannelLayout& layout, const LayerRoom& room, std::uint32_t n) {
  const std::vector<float> alphas = alphas_of(layout.format.scalar, room.pixels.colour, n);
  std::memset(room.picks, 0, n * layout.pick_bytes);
  for (const SettledChannel& channel : layout.channels) {
    if (channel.rule != ChannelRule::front) continue;
    const auto bit = static_cast<std::byte>(1U << (channel.pick % 8));
    std::byte* const picks = room.picks + channel.pick / 8;
    for (std::size_t i = 0; i < n; ++i)
      if (alphas[i] > channel.threshold) picks[i * layout.pick_bytes] |= bit;
  }
}

}  // namespace

std::uint32_t append_own(const ChannelLayout& layout, const OwnImage& image, std::int64_t width, Range pixels,
                         Bytes& out) {
  const std::vector<Found> found = find_drawn(layout, image, width, pixels);
  const std::vector<ActiveRun> runs = runs_of(found);
  const std::uint32_t n = runs.empty() ? 0 : runs.back().at + runs.back().count;
  const LayerRoom room = append_layer(layout,
                                      {{image.place, image.place},
                                       layout.format.scalar,
                                       false,
                                       static_cast<std::uint32_t>(runs.size()),
                                       n,
                                       {},
                                       pixels},
                                      out);
  std::copy(runs.begin(), runs.end(), room.runs.begin());

  // Copy plane by plane.
  const auto copy = [&](std::byte* to, const std::byte* from, std::size_t bytes) {
    for (const Found& row : found) {
      std::memcpy(to, from + row.at * bytes, row.count * bytes);
      to += row.count * bytes;
    }
  };
  copy(room.pixels.colour, image.pixels.colour, layout.format.colour_bytes());
  if (layout.format.depth)
    copy(reinterpret_cast<std::byte*>(room.pixels.depth),
         reinterpret_cast<const std::byte*>(image.pixels.depth), sizeof(float));
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    copy(room.channels[c], image.channels[c], layout.channels[c].bytes());
  if (layout.pick_bytes > 0) pick(layout, room, n);
  return n;
}

}  // namespace sortlast
