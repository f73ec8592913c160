// Layers in byte strings: appended, read and checked, and cut.
#include "sortlast/execute/layers/channels/layer.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// What stands at the beginning of a layer.
struct Head {
  std::uint64_t bytes = 0;  // of the layer, this head among them
  std::uint32_t first = 0;
  std::uint32_t level = 0;
  std::uint32_t runs = 0;
  std::uint32_t pixels = 0;
  std::uint32_t scalar = 0;
  std::uint32_t located = 0;
};
constexpr std::size_t unit = 16;
static_assert(sizeof(Head) % unit == 0);
constexpr std::uint32_t most_level = 31;
constexpr std::uint64_t most_positions = std::uint64_t{1} << most_level;

std::size_t whole_units(std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

// Where the planes of a layer lie, in bytes from its head.
struct Offsets {
  std::size_t runs = sizeof(Head);
  std::size_t colour;
  std::size_t depth;
  std::size_t picks;
  std::size_t positions;
  std::size_t channels;  // the first; each takes whole units
  std::size_t end;

  Offsets(const ChannelLayout& layout, const LayerShape& shape) {
    const std::size_t n = shape.pixels;
    const Format stored{shape.scalar, layout.format.channels};
    colour = runs + whole_units(shape.runs * sizeof(ActiveRun));
    depth = colour + whole_units(n * stored.colour_bytes());
    picks = depth + (layout.format.depth ? whole_units(n * sizeof(float)) : 0);
    positions = picks + whole_units(n * layout.pick_bytes);
    channels = positions + (shape.located ? whole_units(n * sizeof(std::uint32_t)) : 0);
    end = channels;
    for (const SettledChannel& channel : layout.channels) end += whole_units(n * channel.bytes());
  }
};

// The planes of the channels of a layer of n pixels, one behind the other from `at` on.
template <typename Byte>
std::vector<Byte*> channel_planes(const ChannelLayout& layout, std::size_t n, Byte* at) {
  std::vector<Byte*> planes;
  planes.reserve(layout.channels.size());
  for (const SettledChannel& channel : layout.channels) {
    planes.push_back(at);
    at += whole_units(n * channel.bytes());
  }
  return planes;
}

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("pixels with channels came damaged from another rank: " + problem);
}

void check_head(const Head& head, const ChannelLayout& layout, std::size_t left, std::int64_t n) {
  if (head.bytes < sizeof(Head) || head.bytes > left || head.bytes % unit != 0)
    refuse("a layer of " + std::to_string(head.bytes) + " bytes where " + std::to_string(left) + " are left");
  const std::uint64_t positions = std::uint64_t{1} << std::min(head.level, most_level);
  if (head.level > most_level || head.first % positions != 0 || head.first + positions > most_positions)
    refuse("depth positions that do not exist");
  const bool known = head.scalar == static_cast<std::uint32_t>(layout.format.scalar) ||
                     head.scalar == static_cast<std::uint32_t>(Scalar::float32);
  if (!known || head.located > 1 || head.pixels > n || head.runs > head.pixels)
    refuse("a head that no layer has");
}

void check_runs(std::span<const ActiveRun> runs, std::uint32_t pixels, std::int64_t n) {
  std::uint64_t end = 0;
  std::uint64_t at = 0;
  for (const ActiveRun& run : runs) {
    if (run.begin < end || run.count == 0 || run.at != at) refuse("runs that overlap");
    end = std::uint64_t{run.begin} + run.count;
    at += run.count;
  }
  if (end > static_cast<std::uint64_t>(n) || at != pixels) refuse("runs beyond the pixels");
}

}  // namespace

LayerRoom append_layer(const ChannelLayout& layout, const LayerShape& shape, Bytes& out) {
  const Offsets at(layout, shape);
  std::byte* const base = out.grow(at.end);
  const Head head{at.end,
                  shape.positions.first,
                  shape.positions.level,
                  shape.runs,
                  shape.pixels,
                  static_cast<std::uint32_t>(shape.scalar),
                  shape.located ? 1U : 0U};
  std::memcpy(base, &head, sizeof head);
  return {{reinterpret_cast<ActiveRun*>(base + at.runs), shape.runs},
          {base + at.colour, layout.format.depth ? reinterpret_cast<float*>(base + at.depth) : nullptr},
          layout.pick_bytes > 0 ? base + at.picks : nullptr,
          shape.located ? reinterpret_cast<std::uint32_t*>(base + at.positions) : nullptr,
          channel_planes(layout, shape.pixels, base + at.channels)};
}

void append_layer(const Layer& layer, Positions positions, Bytes& out) {
  std::byte* const base = out.grow(layer.bytes.size());
  std::memcpy(base, layer.bytes.data(), layer.bytes.size());
  Head head;
  std::memcpy(&head, base, sizeof head);
  head.first = positions.first;
  head.level = positions.level;
  std::memcpy(base, &head, sizeof head);
}

std::vector<Layer> read_layers(const ChannelLayout& layout, std::span<const std::byte> string,
                               std::int64_t n) {
  std::vector<Layer> layers;
  while (!string.empty()) {
    Head head;
    if (string.size() < sizeof head) refuse("a string that ends within a head");
    std::memcpy(&head, string.data(), sizeof head);
    check_head(head, layout, string.size(), n);
    const LayerShape shape{{head.first, head.level},
                           static_cast<Scalar>(head.scalar),
                           head.located != 0,
                           head.runs,
                           head.pixels};
    const Offsets at(layout, shape);
    if (at.end != head.bytes) refuse("a layer of another length than its pixels have");
    const std::byte* const base = string.data();
    const std::span<const ActiveRun> runs{reinterpret_cast<const ActiveRun*>(base + at.runs), head.runs};
    check_runs(runs, head.pixels, n);
    layers.push_back(
        {shape,
         runs,
         {base + at.colour, layout.format.depth ? reinterpret_cast<const float*>(base + at.depth) : nullptr},
         layout.pick_bytes > 0 ? base + at.picks : nullptr,
         shape.located ? reinterpret_cast<const std::uint32_t*>(base + at.positions) : nullptr,
         channel_planes(layout, shape.pixels, base + at.channels),
         string.first(at.end)});
    string = string.subspan(at.end);
  }
  return layers;
}

void copy_pixels(const ChannelLayout& layout, const Layer& from, std::uint32_t at, const LayerRoom& to,
                 std::uint32_t to_at, std::uint32_t count) {
  const auto copy = [&](std::byte* target, const std::byte* source, std::size_t bytes) {
    std::memcpy(target + to_at * bytes, source + at * bytes, count * bytes);
  };
  const std::size_t colour_bytes = Format{from.shape.scalar, layout.format.channels}.colour_bytes();
  copy(to.pixels.colour, from.pixels.colour, colour_bytes);
  if (layout.format.depth) std::copy_n(from.pixels.depth + at, count, to.pixels.depth + to_at);
  if (layout.pick_bytes > 0) copy(to.picks, from.picks, layout.pick_bytes);
  if (to.positions != nullptr) {
    for (std::uint32_t i = 0; i < count; ++i) to.positions[to_at + i] = from.position(at + i);
  }
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    copy(to.channels[c], from.channels[c], layout.channels[c].bytes());
}

void cut_layers(const ChannelLayout& layout, std::span<const std::byte> string, Range from, Range pixels,
                Bytes& out) {
  const auto begin = static_cast<std::uint64_t>(pixels.begin - from.begin);
  const auto end = static_cast<std::uint64_t>(pixels.end - from.begin);
  std::vector<ActiveRun> kept;
  for (const Layer& layer : read_layers(layout, string, from.size())) {
    // Find what is left of the runs.
    kept.clear();
    std::uint32_t count = 0;
    const auto first = std::partition_point(layer.runs.begin(), layer.runs.end(), [&](const ActiveRun& run) {
      return std::uint64_t{run.begin} + run.count <= begin;
    });
    for (auto run = first; begin < end && run != layer.runs.end() && run->begin < end; ++run) {
      const std::uint64_t left = std::max<std::uint64_t>(run->begin, begin);
      const std::uint64_t right = std::min(std::uint64_t{run->begin} + run->count, end);
      kept.push_back(
          {static_cast<std::uint32_t>(left - begin), static_cast<std::uint32_t>(right - left), count});
      count += kept.back().count;
    }

    // Copy them: they lie one behind the other.
    LayerShape shape = layer.shape;
    shape.runs = static_cast<std::uint32_t>(kept.size());
    shape.pixels = count;
    const LayerRoom room = append_layer(layout, shape, out);
    std::copy(kept.begin(), kept.end(), room.runs.begin());
    if (count == 0) continue;
    const auto skipped =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(begin, first->begin) - first->begin);
    copy_pixels(layout, layer, first->at + skipped, room, 0, count);
  }
}

}  // namespace sortlast
