// Merge.
//
// Overlapping layers are merged into one if that saves memory and no pixels of another image lie between
// them. An image is an obstacle only if its box overlaps theirs; it is assumed to fill its box. All boxes are
// known to every rank, so a rank decides this without the other ranks' images.
#include "sortlast/content/layers/merge.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "sortlast/content/layers/canvas.hpp"

namespace sortlast {
namespace {

using Place = BoxTable::Place;

Rectangle hull(const Rectangle& a, const Rectangle& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return std::max(a.x0, b.x0) < std::min(a.x1, b.x1) && std::max(a.y0, b.y0) < std::min(a.y1, b.y1);
}

// The rows of a box touched by the pixels.
Rectangle in_rows(Rectangle box, Range pixels, std::int64_t width) {
  box.y0 = std::max(box.y0, pixels.begin / width);
  box.y1 = std::min(box.y1, (pixels.end - 1) / width + 1);
  return box;
}

// Layers that become one, front to back.
struct Group {
  std::vector<Layer> layers;
  Rectangle box;  // hull of the layers
  DepthRange places;
  bool whole = false;       // covers all pixels of its box; otherwise it stays alone
  std::int64_t stored = 0;  // pixels of its layers
  std::size_t bytes = 0;    // size of these in a string
};

class Merger {
 public:
  Merger(const ChannelLayout& layout, const Accumulator& accumulator, std::span<const Layer> layers,
         Range pixels)
      : layout_(layout),
        table_(*layout.boxes),
        accumulator_(accumulator),
        layers_(layers),
        pixels_(pixels),
        width_(table_.frame().width) {}

  // The layers in groups: no pixels of an image outside a group lie between its layers.
  std::vector<Group> groups() const;
  void append(const Group& group, Bytes& out) const;

 private:
  Group alone(const Layer& layer) const;
  bool fits(const Group& group, const Group& next) const;
  bool parted(const Group& group, const Group& next, std::span<const Place> absent) const;
  std::vector<Place> images_of_others() const;
  static Group* partner(std::span<Group> found, const Group& next);
  void append_one(const Group& group, const LayerShape& shape, Bytes& out) const;

  const ChannelLayout& layout_;
  const BoxTable& table_;
  const Accumulator& accumulator_;
  std::span<const Layer> layers_;
  Range pixels_;
  std::int64_t width_;
};

Group Merger::alone(const Layer& layer) const {
  const LayerShape& shape = layer.shape;
  const bool whole = shape.dense() && shape.stored == pixels_of_box(shape.box, pixels_, width_);
  return {{layer},       in_rows(shape.box, pixels_, width_), shape.places, whole,
          shape.count(), layer_bytes(layout_, shape)};
}

// Whether the hull of both has few gaps, or none if the operator allows none.
bool Merger::fits(const Group& group, const Group& next) const {
  const bool gaps = layout_.op == Op::over || layout_.op == Op::add;  // can be blended as empty pixels
  const Rectangle both = hull(group.box, next.box);
  if (!gaps && both != group.box && both != next.box) return false;
  return pixels_of_box(both, pixels_, width_).size() <= group.stored + next.stored;
}

// Whether an image of a rank without layers here lies between a group and a layer that would join it.
bool Merger::parted(const Group& group, const Group& next, std::span<const Place> absent) const {
  const auto begin = std::upper_bound(absent.begin(), absent.end(), group.places.first);
  const auto end = std::lower_bound(begin, absent.end(), next.places.first);
  return std::any_of(begin, end, [&](Place place) { return overlap(table_.at(place).box, next.box); });
}

// Images of ranks without layers here, front to back.
std::vector<Place> Merger::images_of_others() const {
  std::vector<std::int32_t> here;
  for (const Layer& layer : layers_)
    for (const Place place : {layer.shape.places.first, layer.shape.places.last})
      here.push_back(table_.at(place).rank);
  std::sort(here.begin(), here.end());
  std::vector<Place> places = table_.meeting(pixels_);
  std::erase_if(places, [&](Place place) {
    return std::binary_search(here.begin(), here.end(), table_.at(place).rank);
  });
  return places;
}

// The group that a layer may join: the rearmost group it overlaps, if all others lie in front of that. Null
// if there is none.
Group* Merger::partner(std::span<Group> found, const Group& next) {
  Group* rearmost = nullptr;
  Place before = 0;  // the last place of the others
  bool others = false;
  for (Group& each : found) {
    if (!overlap(each.box, next.box)) continue;
    const bool behind = rearmost == nullptr || each.places.last > rearmost->places.last;
    const Group* const other = behind ? rearmost : &each;
    if (behind) rearmost = &each;
    if (other == nullptr) continue;
    before = std::max(before, other->places.last);
    others = true;
  }
  if (rearmost == nullptr || (others && before > rearmost->places.first)) return nullptr;
  return rearmost->whole && rearmost->places.last < next.places.first ? rearmost : nullptr;
}

std::vector<Group> Merger::groups() const {
  std::vector<Group> found;
  std::optional<std::vector<Place>> others;
  for (const Layer& layer : layers_) {
    Group next = alone(layer);
    Group* const to = next.whole ? partner(found, next) : nullptr;
    bool joins = to != nullptr && fits(*to, next);
    if (joins) {
      if (!others) others = images_of_others();
      joins = !parted(*to, next, *others);
    }
    if (!joins) {
      found.push_back(std::move(next));
      continue;
    }
    to->layers.push_back(layer);
    to->box = hull(to->box, next.box);
    to->places.last = next.places.last;
    to->stored += next.stored;
    to->bytes += next.bytes;
  }
  return found;
}

void Merger::append(const Group& group, Bytes& out) const {
  const LayerShape one{group.places,
                       accumulator_.format().scalar,
                       false,
                       0,
                       0,
                       group.box,
                       pixels_of_box(group.box, pixels_, width_)};
  if (group.layers.size() > 1 && layer_bytes(layout_, one) < group.bytes) {
    append_one(group, one, out);
  } else {
    for (const Layer& layer : group.layers) append_copy(layout_, layer, layer.shape.places, out);
  }
}

void Merger::append_one(const Group& group, const LayerShape& shape, Bytes& out) const {
  const Format& gathered = accumulator_.format();
  const Pixels to = append_layer(layout_, shape, out).pixels;
  // Treat the hull as a separate frame.
  const Rectangle& box = shape.box;
  Canvas canvas(accumulator_, box.x1 - box.x0);
  canvas.begin(shape.stored, to);
  for (Layer layer : group.layers) {
    Rectangle& part = layer.shape.box;
    part = {part.x0 - box.x0, part.y0 - box.y0, part.x1 - box.x0, part.y1 - box.y0};
    canvas.add(layer);
  }
  canvas.for_each_gap([&](Range gap) {
    fill_absent(layout_.op, gathered, false, advance(to, gathered, gap.begin - shape.stored.begin),
                gap.size());
  });
}

}  // namespace

void append_merged(const ChannelLayout& layout, const Accumulator& accumulator, std::span<const Layer> layers,
                   Range pixels, Bytes& out) {
  std::size_t bytes = 0;
  for (const Layer& layer : layers) bytes += layer_bytes(layout, layer.shape);
  out.reserve(out.size() + bytes);
  const Merger merger(layout, accumulator, layers, pixels);
  for (const Group& group : merger.groups()) merger.append(group, out);
}

}  // namespace sortlast
