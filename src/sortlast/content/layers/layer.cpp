// Layers in byte strings: appending, reading and checking, cutting.
#include "sortlast/content/layers/layer.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {
namespace {

// A layer holds runs of the frame, pixels of an image (its box is in the table), or the hull of several
// images.
enum class Kind : std::uint8_t { frame, image, hull, reference };

struct Header {
  std::uint64_t bytes = 0;  // of the layer, this header included
  std::int64_t begin = 0;   // the first pixel, of the box or of the frame
  std::uint32_t first = 0;  // depth place; of a reference: the rank
  std::uint32_t last = 0;
  std::uint32_t pixels = 0;
  std::uint32_t runs = 0;
  Kind kind = Kind::frame;
  std::uint8_t scalar = 0;
  std::uint8_t located = 0;
  std::array<std::uint8_t, 5> unused = {};
};
constexpr std::size_t unit = 8;
static_assert(sizeof(Header) % unit == 0 && sizeof(Rectangle) % unit == 0);
constexpr std::uint64_t max_places = std::uint64_t{1} << 31U;

std::size_t whole_units(std::size_t bytes) { return (bytes + unit - 1) / unit * unit; }

Kind kind_of(const LayerShape& shape) {
  if (!shape.has_box()) return Kind::frame;
  return shape.places.size() == 1 ? Kind::image : Kind::hull;
}

// Offsets of the parts of a layer, in bytes from its header.
struct Offsets {
  std::size_t box = sizeof(Header);  // of a hull
  std::size_t runs;
  std::size_t colour;
  std::size_t depth;
  std::size_t picks;
  std::size_t places;
  std::size_t channels;  // of the first; each takes whole units
  std::size_t end;

  Offsets(const ChannelLayout& layout, const LayerShape& shape) {
    const auto n = static_cast<std::size_t>(shape.count());
    const Format stored{shape.scalar, layout.format.channels};
    runs = box + (kind_of(shape) == Kind::hull ? sizeof(Rectangle) : 0);
    colour = runs + whole_units(shape.runs * sizeof(ActiveRun));
    depth = colour + whole_units(n * stored.colour_bytes());
    picks = depth + (layout.format.depth ? whole_units(n * sizeof(float)) : 0);
    places = picks + whole_units(n * layout.pick_bytes);
    channels = places + (shape.located ? whole_units(n * sizeof(std::uint32_t)) : 0);
    end = channels;
    for (const SettledChannel& channel : layout.channels) end += whole_units(n * channel.bytes());
  }
};

// The planes of the channels of a layer of n pixels, stored one after another from `at` on.
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

// ---- Checks ---------------------------------------------------------------------------------------

[[noreturn]] void refuse(const std::string& problem) {
  throw Error("received corrupt pixels from another rank: " + problem);
}

void check_header(const Header& header, const ChannelLayout& layout, std::size_t left) {
  if (header.bytes < sizeof header || header.bytes > left || header.bytes % unit != 0)
    refuse("a layer of " + std::to_string(header.bytes) + " bytes where " + std::to_string(left) +
           " are left");
  const bool known = header.scalar == static_cast<std::uint8_t>(layout.format.scalar) ||
                     header.scalar == static_cast<std::uint8_t>(Scalar::float32);
  if (!known || header.located > 1 || header.kind > Kind::reference) refuse("an invalid header");
  if (header.kind == Kind::reference) return;
  const std::uint64_t places = layout.joins_as_tree() ? max_places : layout.boxes->size();
  if (header.first > header.last || header.last >= places) refuse("a place in depth that no image has");
  const std::uint64_t size = std::uint64_t{header.last} - header.first + 1;
  if (layout.joins_as_tree() && (!std::has_single_bit(size) || header.first % size != 0))
    refuse("places in depth that are no node of the tree");
}

void check_runs(std::span<const ActiveRun> runs, const LayerShape& shape, std::int64_t n) {
  std::uint64_t end = 0;
  std::uint64_t at = 0;
  for (const ActiveRun& run : runs) {
    if (run.begin < end || run.count == 0 || run.at != at) refuse("runs that overlap");
    end = std::uint64_t{run.begin} + run.count;
    at += run.count;
  }
  if (end > static_cast<std::uint64_t>(n) || at != shape.pixels) refuse("runs beyond the pixels");
}

void check_box(const LayerShape& shape, Range pixels, Size frame) {
  const Rectangle& box = shape.box;
  if (box.x0 < 0 || box.y0 < 0 || box.x0 >= box.x1 || box.y0 >= box.y1 || box.x1 > frame.width ||
      box.y1 > frame.height)
    refuse("a box outside the frame");
  if (shape.stored.empty() || !pixels_of_box(box, pixels, frame.width).contains(shape.stored))
    refuse("pixels beyond those of the string");
}

// The shape of a layer that begins at `base`. If it has runs, its `stored` ends at the last of the string's
// pixels.
LayerShape read_shape(const ChannelLayout& layout, const Header& header, const std::byte* base,
                      Range pixels) {
  LayerShape shape{{header.first, header.last},
                   static_cast<Scalar>(header.scalar),
                   header.located != 0,
                   header.runs,
                   header.pixels,
                   {},
                   {}};
  if (header.kind == Kind::frame) {
    if (!layout.joins_as_tree() || header.begin != pixels.begin) refuse("pixels of another range");
    shape.stored = pixels;
    return shape;
  }
  if (!layout.boxes || layout.joins_as_tree()) refuse("an invalid header");
  const Size frame = layout.boxes->frame();
  shape.box = layout.boxes->at(header.first).box;
  if (header.kind == Kind::hull) {
    if (header.bytes < sizeof header + sizeof shape.box) refuse("a layer that ends within its rectangle");
    std::memcpy(&shape.box, base + sizeof header, sizeof shape.box);
  }
  if (!shape.has_box() || (header.kind == Kind::image) != (shape.places.size() == 1))
    refuse("an invalid header");
  const Range there = pixels_of_box(shape.box, pixels, frame.width);
  if (header.begin < there.begin || header.begin > there.end) refuse("pixels beyond those of the string");
  shape.stored = {header.begin, header.runs > 0 ? there.end : header.begin + header.pixels};
  check_box(shape, pixels, frame);
  return shape;
}

Layer read_layer(const ChannelLayout& layout, const Header& header, const std::byte* base, Range pixels) {
  Layer layer;
  layer.shape = read_shape(layout, header, base, pixels);
  const Offsets at(layout, layer.shape);
  if (at.end != header.bytes) refuse("a layer of another length than its pixels have");
  layer.runs = {reinterpret_cast<const ActiveRun*>(base + at.runs), header.runs};
  if (!layer.shape.dense()) check_runs(layer.runs, layer.shape, layer.shape.stored.size());
  layer.pixels = {base + at.colour,
                  layout.format.depth ? reinterpret_cast<const float*>(base + at.depth) : nullptr};
  if (layout.pick_bytes > 0) layer.picks = base + at.picks;
  if (layer.shape.located) layer.places = reinterpret_cast<const std::uint32_t*>(base + at.places);
  layer.channels = channel_planes(layout, static_cast<std::size_t>(layer.shape.count()), base + at.channels);
  return layer;
}

}  // namespace

// ---- Strings --------------------------------------------------------------------------------------

std::size_t layer_bytes(const ChannelLayout& layout, const LayerShape& shape) {
  return Offsets(layout, shape).end;
}

LayerRoom append_layer(const ChannelLayout& layout, const LayerShape& shape, Bytes& out) {
  if (shape.count() > most_counted)
    throw ArgumentError("a part of an image has " + std::to_string(shape.count()) +
                        " pixels; expected less than 2^32");
  const Offsets at(layout, shape);
  std::byte* const base = out.grow(at.end);
  const Kind kind = kind_of(shape);
  const Header header{at.end,
                      shape.stored.begin,
                      shape.places.first,
                      shape.places.last,
                      static_cast<std::uint32_t>(shape.count()),
                      shape.runs,
                      kind,
                      static_cast<std::uint8_t>(shape.scalar),
                      static_cast<std::uint8_t>(shape.located ? 1 : 0),
                      {}};
  std::memcpy(base, &header, sizeof header);
  if (kind == Kind::hull) std::memcpy(base + at.box, &shape.box, sizeof shape.box);
  LayerRoom room;
  room.runs = {reinterpret_cast<ActiveRun*>(base + at.runs), shape.runs};
  room.pixels = {base + at.colour, layout.format.depth ? reinterpret_cast<float*>(base + at.depth) : nullptr};
  if (layout.pick_bytes > 0) room.picks = base + at.picks;
  if (shape.located) room.places = reinterpret_cast<std::uint32_t*>(base + at.places);
  room.channels = channel_planes(layout, static_cast<std::size_t>(shape.count()), base + at.channels);
  return room;
}

void append_copy(const ChannelLayout& layout, const Layer& layer, DepthRange places, Bytes& out) {
  LayerShape shape = layer.shape;
  shape.places = places;
  const LayerRoom room = append_layer(layout, shape, out);
  if (shape.dense()) {
    copy_pixels(layout, layer, 0, room, 0, static_cast<std::size_t>(shape.count()));
    return;
  }
  // Copy consecutive runs at once.
  std::uint32_t to = 0;
  for (std::size_t i = 0; i < layer.runs.size();) {
    const std::uint32_t from = layer.runs[i].at;
    std::uint32_t count = 0;
    for (; i < layer.runs.size() && layer.runs[i].at == from + count; ++i) {
      room.runs[i] = {layer.runs[i].begin, layer.runs[i].count, to + count};
      count += layer.runs[i].count;
    }
    copy_pixels(layout, layer, from, room, to, count);
    to += count;
  }
}

void append_reference(const ImageReference& reference, Bytes& out) {
  const Range pixels = reference.pixels;
  for (std::int64_t begin = pixels.begin; begin < pixels.end; begin += most_counted) {
    Header header;
    header.bytes = sizeof header;
    header.kind = Kind::reference;
    header.begin = begin;
    header.first = static_cast<std::uint32_t>(reference.rank);
    header.pixels = static_cast<std::uint32_t>(std::min(most_counted, pixels.end - begin));
    header.scalar = static_cast<std::uint8_t>(Scalar::float32);
    out.append_value(header);
  }
}

void read_string(const ChannelLayout& layout, std::span<const std::byte> string, Range pixels,
                 std::vector<Layer>& layers, std::vector<ImageReference>* references) {
  if (reinterpret_cast<std::uintptr_t>(string.data()) % unit != 0) refuse("a string that is not aligned");
  while (!string.empty()) {
    Header header;
    if (string.size() < sizeof header) refuse("a string that ends within a header");
    std::memcpy(&header, string.data(), sizeof header);
    check_header(header, layout, string.size());
    if (header.kind == Kind::reference) {
      if (references == nullptr || header.begin < pixels.begin || header.begin > pixels.end ||
          header.pixels > pixels.end - header.begin)
        refuse("a reference to pixels beyond those of the string");
      references->push_back(
          {static_cast<std::int32_t>(header.first), {header.begin, header.begin + header.pixels}});
    } else {
      layers.push_back(read_layer(layout, header, string.data(), pixels));
    }
    string = string.subspan(header.bytes);
  }
}

void cut_layers(const ChannelLayout& layout, std::span<const std::byte> string, Range from, Range pixels,
                Bytes& out) {
  std::vector<Layer> layers;
  read_string(layout, string, from, layers);
  std::vector<ActiveRun> runs;
  for (const Layer& layer : layers) {
    const Layer part = clipped(layout, layer, pixels, runs);
    append_copy(layout, part, part.shape.places, out);
  }
}

// ---- Pixels ---------------------------------------------------------------------------------------

Range pixels_of_box(const Rectangle& box, Range pixels, std::int64_t frame_width) {
  const std::int64_t columns = box.x1 - box.x0;
  if (pixels.empty() || columns <= 0 || box.y0 >= box.y1) return {};
  // The number of the box's pixels before a pixel of the frame.
  const auto before = [&](std::int64_t pixel) {
    const std::int64_t row = pixel / frame_width;
    if (row < box.y0) return std::int64_t{0};
    if (row >= box.y1) return (box.y1 - box.y0) * columns;
    return (row - box.y0) * columns +
           std::clamp(pixel - row * frame_width - box.x0, std::int64_t{0}, columns);
  };
  return {before(pixels.begin), before(pixels.end)};
}

namespace {

// The runs within `kept`, counted from its first pixel.
void clip_runs(Layer& layer, Range kept, std::vector<ActiveRun>& runs) {
  runs.clear();
  const std::int64_t begin = kept.begin - layer.shape.stored.begin;
  const std::int64_t end = kept.end - layer.shape.stored.begin;
  auto run = std::partition_point(layer.runs.begin(), layer.runs.end(), [&](const ActiveRun& each) {
    return std::int64_t{each.begin} + each.count <= begin;
  });
  std::uint32_t count = 0;
  for (; begin < end && run != layer.runs.end() && run->begin < end; ++run) {
    const std::int64_t left = std::max<std::int64_t>(run->begin, begin);
    const std::int64_t right = std::min(std::int64_t{run->begin} + run->count, end);
    runs.push_back({static_cast<std::uint32_t>(left - begin), static_cast<std::uint32_t>(right - left),
                    run->at + static_cast<std::uint32_t>(left - run->begin)});
    count += runs.back().count;
  }
  layer.runs = runs;
  layer.shape.runs = static_cast<std::uint32_t>(runs.size());
  layer.shape.pixels = count;
}

}  // namespace

Layer clipped(const ChannelLayout& layout, Layer layer, Range pixels, std::vector<ActiveRun>& runs) {
  LayerShape& shape = layer.shape;
  const Range there =
      shape.has_box() ? pixels_of_box(shape.box, pixels, layout.boxes->frame().width) : pixels;
  Range kept = intersection(shape.stored, there);
  if (kept.empty()) kept = {there.begin, there.begin};
  if (!shape.dense()) {
    clip_runs(layer, kept, runs);
    shape.stored = kept;
    if (runs.empty()) shape.box = {};  // otherwise it would be dense
    return layer;
  }
  const std::int64_t skipped = kept.empty() ? 0 : kept.begin - shape.stored.begin;
  shape.stored = kept;
  Format stored = layout.format;
  stored.scalar = shape.scalar;
  if (layer.pixels.colour != nullptr) layer.pixels = advance(layer.pixels, stored, skipped);
  for (std::size_t c = 0; c < layer.channels.size(); ++c)
    layer.channels[c] += static_cast<std::size_t>(skipped) * layout.channels[c].bytes();
  return layer;
}

void copy_pixels(const ChannelLayout& layout, const Layer& from, std::size_t at, const LayerRoom& to,
                 std::size_t to_at, std::size_t count) {
  if (count == 0) return;
  const auto copy = [&](std::byte* target, const std::byte* source, std::size_t bytes) {
    std::memcpy(target + to_at * bytes, source + at * bytes, count * bytes);
  };
  const std::size_t colour_bytes = Format{from.shape.scalar, layout.format.channels}.colour_bytes();
  copy(to.pixels.colour, from.pixels.colour, colour_bytes);
  if (layout.format.depth) std::copy_n(from.pixels.depth + at, count, to.pixels.depth + to_at);
  if (layout.pick_bytes > 0) copy(to.picks, from.picks, layout.pick_bytes);
  if (to.places != nullptr) {
    for (std::size_t i = 0; i < count; ++i)
      to.places[to_at + i] = from.place(static_cast<std::uint32_t>(at + i));
  }
  for (std::size_t c = 0; c < layout.channels.size(); ++c)
    copy(to.channels[c], from.channels[c], layout.channels[c].bytes());
}

std::vector<float> alphas_of(Scalar scalar, const std::byte* colour, std::int64_t n) {
  constexpr std::int64_t at_once = 1024;
  constexpr std::size_t channels = 4;
  std::vector<float> alphas(static_cast<std::size_t>(n));
  std::array<float, at_once * channels> block;
  const std::size_t pixel_bytes = Format{scalar, channels}.colour_bytes();
  for (std::int64_t begin = 0; begin < n; begin += at_once) {
    const std::int64_t count = std::min(at_once, n - begin);
    const Link link{{colour + static_cast<std::size_t>(begin) * pixel_bytes, nullptr}, scalar};
    blend(Op::add, channels, false, {&link, 1}, {reinterpret_cast<std::byte*>(block.data()), nullptr},
          Scalar::float32, count);
    for (std::int64_t i = 0; i < count; ++i)
      alphas[static_cast<std::size_t>(begin + i)] = block[static_cast<std::size_t>(i) * channels + 3];
  }
  return alphas;
}

}  // namespace sortlast
