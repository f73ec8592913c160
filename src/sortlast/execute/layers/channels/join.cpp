// Joins of layers: the colours by the kernels, the channels by their rules.
#include "sortlast/execute/layers/channels/join.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/execute/layers/channels/alpha.hpp"
#include "sortlast/execute/layers/channels/rules.hpp"
#include "sortlast/execute/layers/channels/segments.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// ---- Two layers: closest ----------------------------------------------------------------------------

namespace {

// Whether pixel i of `front` is shown before pixel k of `back`: the nearer one, and at one depth the one of
// the lower position. NaN lies behind every other depth.
bool nearer(const Layer& front, std::uint32_t i, const Layer& back, std::uint32_t k) {
  const float a = front.pixels.depth[i];
  const float b = back.pixels.depth[k];
  if (a < b) return true;
  if (b < a) return false;
  if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
  return front.position(i) < back.position(k);
}

// Segments of one layer each, from segments that may be in both.
std::vector<Segment> winners(const Layer& front, const Layer& back, const std::vector<Segment>& segments) {
  std::vector<Segment> won;
  won.reserve(segments.size());
  for (const Segment& segment : segments) {
    if (!segment.in_both()) {
      won.push_back(segment);
      continue;
    }
    for (std::uint32_t i = 0; i < segment.count;) {
      const bool first = nearer(front, segment.front + i, back, segment.back + i);
      std::uint32_t end = i + 1;
      while (end < segment.count && nearer(front, segment.front + end, back, segment.back + end) == first)
        ++end;
      won.push_back({segment.begin + i, end - i, segment.at + i, first ? segment.front + i : Segment::nowhere,
                     first ? Segment::nowhere : segment.back + i});
      i = end;
    }
  }
  return won;
}

void append_closest(const ChannelLayout& layout, const Layer& front, const Layer& back, Bytes& out) {
  const std::vector<Segment> segments = winners(front, back, segments_of(front.runs, back.runs));
  const std::vector<ActiveRun> runs = runs_of(segments);
  const std::uint32_t n = segments.empty() ? 0 : segments.back().at + segments.back().count;
  const LayerRoom room =
      append_layer(layout, {{}, layout.format.scalar, true, static_cast<std::uint32_t>(runs.size()), n}, out);
  std::copy(runs.begin(), runs.end(), room.runs.begin());
  for (const Segment& segment : segments) {
    const bool first = segment.in_front();
    copy_pixels(layout, first ? front : back, first ? segment.front : segment.back, room, segment.at,
                segment.count);
  }
}

// ---- Two layers: the others -------------------------------------------------------------------------

// The colours, and the nearest depths, of the packed pixels.
void join_colours(const ChannelLayout& layout, const Layer& front, const Layer& back,
                  const std::vector<Segment>& segments, const LayerRoom& room, std::int64_t n) {
  std::vector<ActiveRun> in_front;
  std::vector<ActiveRun> in_back;
  for (const Segment& segment : segments) {
    if (segment.in_front()) in_front.push_back({segment.at, segment.count, segment.front});
    if (segment.in_back()) in_back.push_back({segment.at, segment.count, segment.back});
  }
  const Link links[] = {{front.pixels, front.shape.scalar, Side::back, true, in_front, 0},
                        {back.pixels, back.shape.scalar, Side::back, true, in_back, 0}};
  blend(layout.op, layout.format.channels, layout.format.depth, links, room.pixels, Scalar::float32, n);
}

// What the join of channels looks at.
struct Joining {
  const ChannelLayout& layout;
  const Layer& front;
  const Layer& back;
  const std::vector<Segment>& segments;
  const LayerRoom& room;
  std::vector<float> alphas;  // of the front layer, if a channel needs them
};

// Copy what one layer alone holds of a plane, and call both(segment) where they meet.
template <class Both>
void join_plane(const Joining& joining, const std::byte* front, const std::byte* back, std::byte* to,
                std::size_t bytes, Both both) {
  for (const Segment& segment : joining.segments) {
    if (segment.in_both()) {
      both(segment);
    } else {
      const std::byte* const from =
          segment.in_front() ? front + segment.front * bytes : back + segment.back * bytes;
      std::memcpy(to + segment.at * bytes, from, segment.count * bytes);
    }
  }
}

void join_weighed(const Joining& joining, std::size_t c) {
  const SettledChannel& channel = joining.layout.channels[c];
  with_rule(channel, joining.layout.op, [&](auto rule) {
    using T = RuleValueOf<decltype(rule)>;
    const std::size_t width = channel.width;
    join_plane(
        joining, joining.front.channels[c], joining.back.channels[c], joining.room.channels[c],
        channel.bytes(), [&](const Segment& segment) {
          const T* front = joining.front.values<T>(c) + segment.front * width;
          const T* back = joining.back.values<T>(c) + segment.back * width;
          T* to = joining.room.values<T>(c) + segment.at * width;
          for (std::size_t i = 0; i < segment.count; ++i) {
            const float through = joining.alphas.empty() ? 0.0F : 1.0F - joining.alphas[segment.front + i];
            for (std::size_t k = 0; k < width; ++k) *to++ = rule(*front++, *back++, through);
          }
        });
  });
}

void join_picked(const Joining& joining, std::size_t c) {
  const SettledChannel& channel = joining.layout.channels[c];
  const std::size_t bytes = channel.bytes();
  join_plane(joining, joining.front.channels[c], joining.back.channels[c], joining.room.channels[c], bytes,
             [&](const Segment& segment) {
               for (std::size_t i = 0; i < segment.count; ++i) {
                 const std::size_t in_front = segment.front + i;
                 const bool shown =
                     picked(joining.front.picks, joining.layout.pick_bytes, in_front, channel.pick);
                 const std::byte* const from = shown ? joining.front.channels[c] + in_front * bytes
                                                     : joining.back.channels[c] + (segment.back + i) * bytes;
                 std::memcpy(joining.room.channels[c] + (segment.at + i) * bytes, from, bytes);
               }
             });
}

void join_picks(const Joining& joining) {
  const std::size_t bytes = joining.layout.pick_bytes;
  join_plane(joining, joining.front.picks, joining.back.picks, joining.room.picks, bytes,
             [&](const Segment& segment) {
               for (std::size_t i = 0; i < segment.count * bytes; ++i)
                 joining.room.picks[segment.at * bytes + i] = joining.front.picks[segment.front * bytes + i] |
                                                              joining.back.picks[segment.back * bytes + i];
             });
}

bool weighs_by_alpha(const ChannelLayout& layout) {
  return layout.op == Op::over &&
         std::any_of(layout.channels.begin(), layout.channels.end(),
                     [](const SettledChannel& channel) { return channel.rule == ChannelRule::blend; });
}

}  // namespace

void append_join(const ChannelLayout& layout, const Layer& front, const Layer& back, Positions positions,
                 Bytes& out) {
  if (layout.op == Op::closest) return append_closest(layout, front, back, out);
  const std::vector<Segment> segments = segments_of(front.runs, back.runs);
  const std::vector<ActiveRun> runs = runs_of(segments);
  const std::uint32_t n = segments.empty() ? 0 : segments.back().at + segments.back().count;
  const LayerRoom room = append_layer(
      layout, {positions, Scalar::float32, false, static_cast<std::uint32_t>(runs.size()), n}, out);
  std::copy(runs.begin(), runs.end(), room.runs.begin());
  if (n == 0) return;

  join_colours(layout, front, back, segments, room, n);
  Joining joining{layout, front, back, segments, room, {}};
  if (weighs_by_alpha(layout))
    joining.alphas = alphas_of(front.shape.scalar, front.pixels.colour, front.shape.pixels);
  for (std::size_t c = 0; c < layout.channels.size(); ++c) {
    if (layout.channels[c].rule == ChannelRule::front)
      join_picked(joining, c);
    else
      join_weighed(joining, c);
  }
  if (layout.pick_bytes > 0) join_picks(joining);
}

// ---- Any number of layers ---------------------------------------------------------------------------

namespace {

// Layers of one string or several, ascending, of which siblings are joined. The tree's memory is the call's.
class Tree {
 public:
  Tree(const ChannelLayout& layout, std::int64_t n, std::deque<Bytes>& memory)
      : layout_(layout), n_(n), memory_(memory) {}

  // The layers, all within `node`, as one.
  Layer one(std::span<const Layer> layers, Positions node) {
    if (layers.size() == 1) return layers.front();
    const auto [front, back] = halves(layers, node);
    if (front.empty()) return one(back, node.back_half());
    if (back.empty()) return one(front, node.front_half());
    const Layer before = one(front, node.front_half());
    const Layer behind = one(back, node.back_half());
    Bytes& made = memory_.emplace_back();
    append_join(layout_, before, behind, node, made);
    return read_layers(layout_, made.view(), n_).front();
  }

  // Append the layers, all within `node`, those that fill a node of the tree as one.
  void append(std::span<const Layer> layers, Positions node, Bytes& out) {
    if (layers.empty()) return;
    std::uint64_t covered = 0;
    for (const Layer& layer : layers) covered += layer.shape.positions.size();
    if (covered == node.size()) {
      append_layer(one(layers, node), node, out);
      memory_.clear();
      return;
    }
    const auto [front, back] = halves(layers, node);
    append(front, node.front_half(), out);
    append(back, node.back_half(), out);
  }

 private:
  static std::pair<std::span<const Layer>, std::span<const Layer>> halves(std::span<const Layer> layers,
                                                                          Positions node) {
    const auto middle = std::partition_point(layers.begin(), layers.end(), [&](const Layer& layer) {
      return layer.shape.positions.first < node.back_half().first;
    });
    const auto front = static_cast<std::size_t>(middle - layers.begin());
    return {layers.first(front), layers.subspan(front)};
  }

  const ChannelLayout& layout_;
  std::int64_t n_;
  std::deque<Bytes>& memory_;
};

// The smallest node that holds all layers, which ascend.
Positions root_of(std::span<const Layer> layers) {
  Positions node = layers.front().shape.positions;
  while (node.end() < layers.back().shape.positions.end()) {
    ++node.level;
    node.first = node.first >> node.level << node.level;
  }
  return node;
}

// The winners of all layers, pair by pair.
Layer closest_of(const ChannelLayout& layout, std::span<const Layer> layers, std::int64_t n,
                 std::deque<Bytes>& memory) {
  if (layers.size() == 1) return layers.front();
  const std::size_t half = layers.size() / 2;
  const Layer front = closest_of(layout, layers.first(half), n, memory);
  const Layer back = closest_of(layout, layers.subspan(half), n, memory);
  Bytes& made = memory.emplace_back();
  append_closest(layout, front, back, made);
  return read_layers(layout, made.view(), n).front();
}

}  // namespace

std::vector<Layer> collect_layers(const ChannelLayout& layout,
                                  std::span<const std::span<const std::byte>> parts, std::int64_t n) {
  std::vector<Layer> layers;
  for (const std::span<const std::byte> part : parts)
    for (Layer& layer : read_layers(layout, part, n)) layers.push_back(std::move(layer));
  if (layout.op == Op::closest) return layers;
  std::sort(layers.begin(), layers.end(),
            [](const Layer& a, const Layer& b) { return a.shape.positions.first < b.shape.positions.first; });
  for (std::size_t i = 1; i < layers.size(); ++i)
    if (layers[i - 1].shape.positions.end() > layers[i].shape.positions.first)
      throw Error("pixels with channels came damaged from another rank: two layers of one depth position");
  return layers;
}

Layer join_all(const ChannelLayout& layout, std::span<const Layer> layers, std::int64_t n,
               std::deque<Bytes>& memory) {
  if (layout.op == Op::closest) return closest_of(layout, layers, n, memory);
  return Tree(layout, n, memory).one(layers, root_of(layers));
}

void join_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts,
                 std::int64_t n, Bytes& out) {
  const std::vector<Layer> layers = collect_layers(layout, parts, n);
  if (layers.empty()) return;
  std::deque<Bytes> memory;
  if (layout.op == Op::closest) {
    const Layer won = closest_of(layout, layers, n, memory);
    append_layer(won, won.shape.positions, out);
  } else if (layout.accumulates) {
    // What a pixel shows depends on all that lies before it, so no two can be joined yet.
    for (const Layer& layer : layers) append_layer(layer, layer.shape.positions, out);
  } else {
    Tree(layout, n, memory).append(layers, root_of(layers), out);
  }
}

}  // namespace sortlast
