// Joining layers: the colours by the kernels, the channels by their rules.
#include "sortlast/content/layers/join.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "sortlast/content/layers/rules.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

namespace {

// ---- The overlap of two layers' runs ----------------------------------------------------------------

// Consecutive pixels that lie in the front layer, in the back layer, or in both.
struct Segment {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::uint32_t begin = 0;  // counted like the runs
  std::uint32_t count = 0;
  std::uint32_t at = 0;           // sum of the previous counts
  std::uint32_t front = nowhere;  // index of the first pixel in the layer
  std::uint32_t back = nowhere;

  bool in_front() const { return front != nowhere; }
  bool in_back() const { return back != nowhere; }
  bool in_both() const { return in_front() && in_back(); }
};

std::vector<Segment> segments_of(std::span<const ActiveRun> front, std::span<const ActiveRun> back) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  std::vector<Segment> segments;
  segments.reserve(front.size() + back.size());
  std::uint64_t pixel = 0;  // all pixels before it are done
  std::uint32_t at = 0;
  while (true) {
    std::uint64_t begin = none;
    for (const auto* const runs : {&front, &back})
      if (!runs->empty()) begin = std::min(begin, std::max<std::uint64_t>(runs->front().begin, pixel));
    if (begin == none) return segments;

    // Up to the next beginning or end of a run.
    pixel = none;
    Segment segment{static_cast<std::uint32_t>(begin), 0, at};
    const auto look = [&](std::span<const ActiveRun> runs, std::uint32_t& number) {
      if (runs.empty()) return;
      const ActiveRun& run = runs.front();
      pixel = std::min(pixel, begin < run.begin ? run.begin : std::uint64_t{run.begin} + run.count);
      if (run.begin <= begin) number = run.at + static_cast<std::uint32_t>(begin - run.begin);
    };
    look(front, segment.front);
    look(back, segment.back);
    segment.count = static_cast<std::uint32_t>(pixel - begin);
    at += segment.count;
    segments.push_back(segment);
    for (auto* const runs : {&front, &back})
      if (!runs->empty() && std::uint64_t{runs->front().begin} + runs->front().count == pixel)
        *runs = runs->subspan(1);
  }
}

// The runs formed by the segments; adjacent segments form one run.
std::vector<ActiveRun> runs_of(std::span<const Segment> segments) {
  std::vector<ActiveRun> runs;
  for (const Segment& segment : segments) {
    if (!runs.empty() && runs.back().begin + runs.back().count == segment.begin) {
      runs.back().count += segment.count;
    } else {
      runs.push_back({segment.begin, segment.count, segment.at});
    }
  }
  return runs;
}

// ---- Two layers: Op::closest ------------------------------------------------------------------------

// Whether pixel i of `front` hides pixel k of `back`: the nearer one wins; at equal depth, the lower place.
// NaN lies behind every other depth.
bool nearer(const Layer& front, std::uint32_t i, const Layer& back, std::uint32_t k) {
  const float a = front.pixels.depth[i];
  const float b = back.pixels.depth[k];
  if (a < b) return true;
  if (b < a) return false;
  if (std::isnan(a) != std::isnan(b)) return std::isnan(b);
  return front.place(i) < back.place(k);
}

// Segments in one layer each, from segments that may be in both.
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
  const LayerRoom room = append_layer(
      layout,
      {{}, layout.format.scalar, true, static_cast<std::uint32_t>(runs.size()), n, {}, front.shape.stored},
      out);
  std::copy(runs.begin(), runs.end(), room.runs.begin());
  for (const Segment& segment : segments) {
    const bool first = segment.in_front();
    copy_pixels(layout, first ? front : back, first ? segment.front : segment.back, room, segment.at,
                segment.count);
  }
}

// ---- Two layers: the other operators ----------------------------------------------------------------

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

// The arguments of the joins of channels.
struct Joining {
  const ChannelLayout& layout;
  const Layer& front;
  const Layer& back;
  const std::vector<Segment>& segments;
  const LayerRoom& room;
  std::vector<float> alphas;  // of the front layer, if a channel needs them
};

// Copy the parts of a plane that only one layer holds, and call both(segment) where they overlap.
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
    join_plane(joining, joining.front.channels[c], joining.back.channels[c], joining.room.channels[c],
               channel.bytes(), [&](const Segment& segment) {
                 const T* front = joining.front.values<T>(c) + segment.front * width;
                 const T* back = joining.back.values<T>(c) + segment.back * width;
                 T* to = joining.room.values<T>(c) + segment.at * width;
                 for (std::size_t i = 0; i < segment.count; ++i) {
                   const float through =
                       joining.alphas.empty() ? 0.0F : 1.0F - joining.alphas[segment.front + i];
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

void append_join(const ChannelLayout& layout, const Layer& front, const Layer& back, DepthRange places,
                 Bytes& out) {
  if (layout.op == Op::closest) return append_closest(layout, front, back, out);
  const std::vector<Segment> segments = segments_of(front.runs, back.runs);
  const std::vector<ActiveRun> runs = runs_of(segments);
  const std::uint32_t n = segments.empty() ? 0 : segments.back().at + segments.back().count;
  const LayerRoom room = append_layer(
      layout,
      {places, Scalar::float32, false, static_cast<std::uint32_t>(runs.size()), n, {}, front.shape.stored},
      out);
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

Layer made_layer(const ChannelLayout& layout, const Bytes& made, Range pixels) {
  std::vector<Layer> layers;
  read_string(layout, made.view(), pixels, layers);
  return layers.front();
}

// Joins siblings among the layers, ascending, of one or more strings. `memory` keeps the tree's layers.
class Tree {
 public:
  Tree(const ChannelLayout& layout, Range pixels, std::deque<Bytes>& memory)
      : layout_(layout), pixels_(pixels), memory_(memory) {}

  // Join the layers, all within `node`, into one.
  Layer one(std::span<const Layer> layers, DepthRange node) {
    if (layers.size() == 1) return layers.front();
    const auto [front, back] = halves(layers, node);
    if (front.empty()) return one(back, node.back_half());
    if (back.empty()) return one(front, node.front_half());
    const Layer before = one(front, node.front_half());
    const Layer behind = one(back, node.back_half());
    Bytes& made = memory_.emplace_back();
    append_join(layout_, before, behind, node, made);
    return made_layer(layout_, made, pixels_);
  }

  // Append the layers, all within `node`; join layers that fill a node of the tree.
  void append(std::span<const Layer> layers, DepthRange node, Bytes& out) {
    if (layers.empty()) return;
    std::uint64_t covered = 0;
    for (const Layer& layer : layers) covered += layer.shape.places.size();
    if (covered == node.size()) {
      append_copy(layout_, one(layers, node), node, out);
      memory_.clear();
      return;
    }
    const auto [front, back] = halves(layers, node);
    append(front, node.front_half(), out);
    append(back, node.back_half(), out);
  }

 private:
  static std::pair<std::span<const Layer>, std::span<const Layer>> halves(std::span<const Layer> layers,
                                                                          DepthRange node) {
    const auto middle = std::partition_point(layers.begin(), layers.end(), [&](const Layer& layer) {
      return layer.shape.places.first < node.back_half().first;
    });
    const auto front = static_cast<std::size_t>(middle - layers.begin());
    return {layers.first(front), layers.subspan(front)};
  }

  const ChannelLayout& layout_;
  Range pixels_;
  std::deque<Bytes>& memory_;
};

// The smallest node that holds all layers; these are ascending.
DepthRange root_of(std::span<const Layer> layers) {
  DepthRange node = layers.front().shape.places;
  while (node.last < layers.back().shape.places.last) {
    const auto size = static_cast<std::uint32_t>(2 * node.size());
    node.first = node.first / size * size;
    node.last = node.first + size - 1;
  }
  return node;
}

// The winners of all layers, found pair by pair.
Layer closest_of(const ChannelLayout& layout, std::span<const Layer> layers, Range pixels,
                 std::deque<Bytes>& memory) {
  if (layers.size() == 1) return layers.front();
  const std::size_t half = layers.size() / 2;
  const Layer front = closest_of(layout, layers.first(half), pixels, memory);
  const Layer back = closest_of(layout, layers.subspan(half), pixels, memory);
  Bytes& made = memory.emplace_back();
  append_closest(layout, front, back, made);
  return made_layer(layout, made, pixels);
}

}  // namespace

std::vector<Layer> collect_layers(const ChannelLayout& layout,
                                  std::span<const std::span<const std::byte>> parts, Range pixels) {
  std::vector<Layer> layers;
  for (const std::span<const std::byte> part : parts) read_string(layout, part, pixels, layers);
  if (layout.op == Op::closest) return layers;
  std::sort(layers.begin(), layers.end(),
            [](const Layer& a, const Layer& b) { return a.shape.places.first < b.shape.places.first; });
  for (std::size_t i = 1; i < layers.size(); ++i)
    if (layers[i - 1].shape.places.last >= layers[i].shape.places.first)
      throw Error("received corrupt pixels from another rank: two layers of one place in depth");
  return layers;
}

Layer join_all(const ChannelLayout& layout, std::span<const Layer> layers, Range pixels,
               std::deque<Bytes>& memory) {
  if (layout.op == Op::closest) return closest_of(layout, layers, pixels, memory);
  return Tree(layout, pixels, memory).one(layers, root_of(layers));
}

void join_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts, Range pixels,
                 Bytes& out) {
  const std::vector<Layer> layers = collect_layers(layout, parts, pixels);
  if (layers.empty()) return;
  std::deque<Bytes> memory;
  if (layout.op == Op::closest) {
    const Layer won = closest_of(layout, layers, pixels, memory);
    append_copy(layout, won, won.shape.places, out);
  } else if (layout.accumulates) {
    // The value shown depends on all layers in front, so no two can be joined yet.
    for (const Layer& layer : layers) append_copy(layout, layer, layer.shape.places, out);
  } else {
    Tree(layout, pixels, memory).append(layers, root_of(layers), out);
  }
}

}  // namespace sortlast
