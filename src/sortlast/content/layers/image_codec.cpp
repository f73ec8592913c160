// Image codec.
//
// An image contributes nothing outside its box, and costs only its box's share of the string's pixels. Ranks
// of a node read each other's images in place, so a string for mates merely refers to them.
//
// Images with channels are joined as siblings of a tree (join.hpp). Others may be blended in any grouping of
// images with no other image in between (merge.hpp): blended layers keep the scalar of accumulators (float32;
// for closest the images' scalar), so that a pixel's whole chain of images is rounded once, at the end.
// Images of uint8 are a quarter of that size, so blending them early seldom saves memory, and they travel
// unchanged.
//
// At the end the layers are blended front to back into accumulators, a few rows at a time, so that the
// accumulators and the pixels copied from mates stay in the cache.
#include "sortlast/content/layers/image_codec.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <numeric>
#include <utility>

#include "sortlast/content/layers/box_list.hpp"
#include "sortlast/content/layers/finish.hpp"
#include "sortlast/content/layers/join.hpp"
#include "sortlast/content/layers/merge.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

using Place = BoxTable::Place;

// Size of accumulators and copied pixels per step: small enough for the cache, and large enough that the
// kernel does not copy single rows of small boxes.
constexpr std::size_t step_bytes = std::size_t{2} << 20;
constexpr double max_active = 0.8;  // maximum share of active pixels at which empty ones are left out

// Samples per image to estimate its empty pixels: a few thousand for all images together.
std::int64_t samples_of_each(std::size_t images) {
  return std::max<std::int64_t>(16, 4096 / std::max<std::int64_t>(1, static_cast<std::int64_t>(images)));
}

// Pixels in memory, laid out as in a PixelBuffer.
Pixels laid_out(const Format& format, std::int64_t n, std::byte* at) {
  const std::size_t colours = PixelBuffer::bytes({format.scalar, format.channels}, n);
  return {at, format.depth ? reinterpret_cast<float*>(at + colours) : nullptr};
}

// Sort front to back; layers of one place keep their order. Counts the layers of each place.
void sort_by_place(std::vector<Layer>& layers, std::size_t places) {
  std::vector<std::uint32_t> next(places + 1, 0);
  for (const Layer& layer : layers) ++next[layer.shape.places.first + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Layer> sorted(layers.size());
  for (Layer& layer : layers) sorted[next[layer.shape.places.first]++] = std::move(layer);
  layers = std::move(sorted);
}

}  // namespace

ImageFrame frame_of_boxes(std::shared_ptr<const BoxTable> table, Op op, const Format& format, bool sparse) {
  ImageFrame frame{settle({}, op, format), table->frame().width, {}, sparse, true};
  frame.layout.boxes = std::move(table);
  return frame;
}

ImageCodec::ImageCodec(ImageFrame frame, std::vector<OwnImage> images)
    : frame_(std::move(frame)), accumulator_(layout().op, layout().format), images_(std::move(images)) {}

ImageCodec::ImageCodec(ImageFrame frame, std::int32_t rank, std::span<const ConstPixels> images,
                       std::unique_ptr<const PeerSpans> peers, Bytes::Take take)
    : frame_(std::move(frame)),
      accumulator_(layout().op, layout().format),
      peers_(std::move(peers)),
      take_(std::move(take)) {
  for (std::size_t place = 0; place < table().size(); ++place) {
    const PlacedBox& placed = table().at(static_cast<Place>(place));
    if (placed.rank != rank) continue;
    const ConstPixels pixels = images[static_cast<std::size_t>(placed.index)];
    const std::int64_t n = area(placed.box);
    const bool sparse =
        leaves_out_empty() && n > 0 && n <= most_counted &&
        sample_active(layout().format, pixels, 0, n, samples_of_each(images.size())) <= max_active;
    images_.push_back({static_cast<Place>(place), placed.box, pixels, placed.box, {}, sparse});
  }
}

void ImageCodec::put_channels(Range piece, std::vector<std::byte*> planes) {
  piece_ = piece;
  planes_ = std::move(planes);
}

const OwnImage* ImageCodec::own(Place place) const {
  const auto found = std::lower_bound(images_.begin(), images_.end(), place,
                                      [](const OwnImage& each, Place wanted) { return each.place < wanted; });
  return found != images_.end() && found->place == place ? &*found : nullptr;
}

// An empty pixel is as good as none, unless a colour of 0 can win against the colours of others.
bool ImageCodec::leaves_out_empty() const {
  if (!frame_.sparse || layout().op == Op::min) return false;
  return layout().op != Op::max || layout().format.scalar == Scalar::uint8;
}

// ---- Layers of boxes ------------------------------------------------------------------------------

struct ImageCodec::Listed {
  std::vector<Layer> layers;
  std::deque<std::vector<ActiveRun>> runs;
};

// List the layers of this rank's images within the pixels, front to back, without parts not worth sending.
void ImageCodec::list_own(Range pixels, Listed& listed) const {
  std::vector<ActiveRun> active;
  for (const OwnImage& image : images_) {
    if (!table().meets(image.place, pixels)) continue;
    Layer layer;
    layer.shape.places = {image.place, image.place};
    layer.shape.scalar = layout().format.scalar;
    layer.shape.box = image.box;
    layer.shape.stored = pixels_of_box(image.box, pixels, frame_.width);
    const Range stored = layer.shape.stored;
    layer.pixels = advance(image.pixels, layout().format, stored.begin);
    if (image.sparse) {
      active.clear();
      append_active(layout().format, layer.pixels, 0, stored.size(), active);
      if (active.empty()) continue;
      if (active.size() > 1) {
        layer.runs = listed.runs.emplace_back(active);
        layer.shape.runs = static_cast<std::uint32_t>(active.size());
        for (const ActiveRun& run : active) layer.shape.pixels += run.count;
      } else {
        layer.pixels = advance(layer.pixels, layout().format, active.front().begin);
        layer.shape.stored = {stored.begin + active.front().begin,
                              stored.begin + active.front().begin + active.front().count};
      }
    }
    listed.layers.push_back(std::move(layer));
  }
}

// An image of another rank, if it can be read in place; otherwise null, and it has to be fetched.
ConstPixels ImageCodec::in_place(const PlacedBox& placed) const {
  const std::size_t span = first_span(layout().format, placed.index);
  if (!peers_ || span >= peers_->count(placed.rank))
    throw Error("received corrupt pixels from another rank: they refer to images that cannot be read");
  const std::byte* const colour = peers_->in_place(placed.rank, span);
  if (!layout().format.depth) return {colour, nullptr};
  const std::byte* const depth = peers_->in_place(placed.rank, span + 1);
  if (colour == nullptr || depth == nullptr) return {};
  return {colour, reinterpret_cast<const float*>(depth)};
}

// Append the layers of images within the pixels, published by other ranks or owned by this rank, front to
// back. Layers to be fetched have no pixels yet.
void ImageCodec::list_published(std::vector<ImageReference> references, Range pixels,
                                std::vector<Layer>& layers) const {
  const auto before = [](const ImageReference& a, const ImageReference& b) { return a.rank < b.rank; };
  std::sort(references.begin(), references.end(), before);
  for (const Place place : table().meeting(pixels)) {
    const PlacedBox& placed = table().at(place);
    auto reference =
        std::lower_bound(references.begin(), references.end(), ImageReference{placed.rank, {}}, before);
    if (reference == references.end() || reference->rank != placed.rank) continue;
    const OwnImage* const mine = own(place);
    const ConstPixels image = mine != nullptr ? mine->pixels : in_place(placed);
    for (; reference != references.end() && reference->rank == placed.rank; ++reference) {
      const Range stored = pixels_of_box(placed.box, intersection(reference->pixels, pixels), frame_.width);
      if (stored.empty()) continue;
      Layer& layer = layers.emplace_back();
      layer.shape = {{place, place}, layout().format.scalar, false, 0, 0, placed.box, stored};
      if (image.colour != nullptr) layer.pixels = advance(image, layout().format, stored.begin);
    }
  }
}

// List the layers of strings of some of the pixels `of` and, if `own`, of this rank's own images, front to
// back: all within `pixels`, and possibly more.
void ImageCodec::list(std::span<const String> strings, Range of, bool own, Range pixels,
                      Listed& listed) const {
  std::vector<ImageReference> references;
  for (const String string : strings) read_string(layout(), string, of, listed.layers, &references);
  if (own && !images_.empty()) references.push_back({own_rank(), pixels});
  const bool sorted = listed.layers.empty();
  if (!references.empty()) list_published(std::move(references), pixels, listed.layers);
  if (!sorted) sort_by_place(listed.layers, table().size());
}

std::size_t ImageCodec::bytes_to_fetch(std::span<const Layer> layers) const {
  std::size_t bytes = 0;
  for (const Layer& layer : layers)
    if (layer.pixels.colour == nullptr) bytes += PixelBuffer::bytes(layout().format, layer.shape.count());
  return bytes;
}

// Copy the pixels of all layers that have none into `room`.
void ImageCodec::fetch(std::span<Layer> layers, Bytes& room) const {
  const std::size_t bytes = bytes_to_fetch(layers);
  if (bytes == 0) return;
  room.shrink(0);
  std::byte* at = room.grow(bytes);
  std::vector<std::pair<std::int32_t, std::vector<PeerSpans::Copy>>> of;  // by rank
  for (Layer& layer : layers) {
    if (layer.pixels.colour != nullptr) continue;
    const PlacedBox& placed = table().at(layer.shape.places.first);
    const Pixels to = laid_out(layout().format, layer.shape.count(), at);
    at += PixelBuffer::bytes(layout().format, layer.shape.count());
    layer.pixels = to;
    auto mate =
        std::find_if(of.begin(), of.end(), [&](const auto& each) { return each.first == placed.rank; });
    if (mate == of.end()) mate = of.insert(of.end(), {placed.rank, {}});
    const std::size_t span = first_span(layout().format, placed.index);
    const auto add = [&](std::size_t number, std::size_t pixel_bytes, void* target) {
      mate->second.push_back({number, static_cast<std::size_t>(layer.shape.stored.begin) * pixel_bytes,
                              static_cast<std::size_t>(layer.shape.count()) * pixel_bytes,
                              static_cast<std::byte*>(target)});
    };
    add(span, layout().format.colour_bytes(), to.colour);
    if (layout().format.depth) add(span + 1, sizeof(float), to.depth);
  }
  for (const auto& [rank, wanted] : of) peers_->copy(rank, wanted);
}

// ---- Strings --------------------------------------------------------------------------------------

void ImageCodec::encode_own(Range pixels, Bytes& out) const {
  if (!layout().joins_as_tree()) {
    Listed listed;
    list_own(pixels, listed);
    if (frame_.merges) {
      append_merged(layout(), accumulator_, listed.layers, pixels, out);
    } else {
      for (const Layer& layer : listed.layers) append_copy(layout(), layer, layer.shape.places, out);
    }
  } else if (images_.size() == 1) {
    // Append a layer even if nothing is drawn, so that the layers in front and behind can be joined.
    append_own(layout(), images_.front(), frame_.width, pixels, out);
  } else {
    Bytes all;
    for (const OwnImage& image : images_) {
      const std::size_t before = all.size();
      if (append_own(layout(), image, frame_.width, pixels, all) == 0) all.shrink(before);
    }
    const String part = all.view();
    join_layers(layout(), {&part, 1}, pixels, out);
  }
}

void ImageCodec::encode_for_mates(Range pixels, Bytes& out) const {
  if (images_.empty()) return;
  if (layout().joins_as_tree() || !readable(own_rank())) {
    encode_own(pixels, out);
    return;
  }
  if (std::any_of(images_.begin(), images_.end(),
                  [&](const OwnImage& each) { return table().meets(each.place, pixels); }))
    append_reference({own_rank(), pixels}, out);
}

void ImageCodec::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  if (layout().joins_as_tree()) return join_layers(layout(), strings, pixels, out);
  Listed listed;
  list(strings, pixels, false, pixels, listed);
  Bytes room(take_);
  fetch(listed.layers, room);
  append_merged(layout(), accumulator_, listed.layers, pixels, out);
}

void ImageCodec::cut(String string, Range from, Range pixels, Bytes& out) const {
  if (layout().joins_as_tree()) return cut_layers(layout(), string, from, pixels, out);
  Listed listed;
  list({&string, 1}, from, false, pixels, listed);
  for (Layer& layer : listed.layers)
    layer = clipped(layout(), std::move(layer), pixels, listed.runs.emplace_back());
  std::erase_if(listed.layers, [](const Layer& layer) { return layer.shape.count() == 0; });
  Bytes room(take_);
  fetch(listed.layers, room);
  for (const Layer& layer : listed.layers) append_copy(layout(), layer, layer.shape.places, out);
}

// ---- The end --------------------------------------------------------------------------------------

void ImageCodec::finish_tree(std::span<const String> strings, bool own, Range pixels, Pixels out,
                             Bytes* joined) const {
  std::vector<String> all(strings.begin(), strings.end());
  Bytes mine;
  if (own) encode_own(pixels, mine);
  if (mine.size() > 0) all.push_back(mine.view());
  if (joined != nullptr) join_layers(layout(), all, pixels, *joined);
  FinishedPlanes planes{out, planes_};
  for (std::size_t c = 0; c < planes.channels.size(); ++c)
    planes.channels[c] +=
        static_cast<std::size_t>(pixels.begin - piece_.begin) * layout().channels[c].bytes();
  finish_layers(layout(), all, pixels, frame_.background ? &*frame_.background : nullptr, planes);
}

void ImageCodec::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                        Bytes* joined) const {
  if (layout().joins_as_tree()) return finish_tree(strings, own, pixels, out, joined);
  Listed listed;
  list(strings, {0, table().frame().pixels()}, own, pixels, listed);
  const std::vector<Layer>& layers = listed.layers;
  if (layers.empty()) {
    const bool behind = frame_.background.has_value();
    fill_absent(layout().op, layout().format, behind, out, pixels.size());
    if (behind) frame_.background->apply(out, pixels.size());
    return;
  }

  // As many rows at a time as fit in the cache.
  const std::int64_t width = frame_.width;
  const std::size_t bytes =
      static_cast<std::size_t>(pixels.size()) * accumulator_.format().pixel_bytes() + bytes_to_fetch(layers);
  const std::int64_t rows = pixels.size() / width + 1;
  const auto steps = static_cast<std::int64_t>(bytes / step_bytes) + 1;
  const std::int64_t step = std::max<std::int64_t>(1, rows / steps) * width;
  Canvas canvas(accumulator_, width);
  Bytes room(take_);
  Bytes accumulated(take_);
  Listed some;
  for (std::int64_t begin = pixels.begin; begin < pixels.end;) {
    const std::int64_t end = std::min(pixels.end, (begin / width) * width + step);
    some.layers.clear();
    some.runs.clear();
    const std::int64_t first_row = begin / width;
    const std::int64_t last_row = (end - 1) / width;
    for (const Layer& layer : layers) {
      const Rectangle& box = layer.shape.box;
      if (box.y1 <= first_row || box.y0 > last_row) continue;
      std::vector<ActiveRun> runs;
      Layer kept = clipped(layout(), layer, {begin, end}, runs);
      if (kept.shape.count() == 0) continue;
      if (!kept.shape.dense()) kept.runs = some.runs.emplace_back(std::move(runs));
      some.layers.push_back(std::move(kept));
    }
    fetch(some.layers, room);
    finish_step(some.layers, {begin, end}, advance(out, layout().format, begin - pixels.begin), canvas,
                accumulated);
    begin = end;
  }
}

// Blend the layers of these pixels, and round.
void ImageCodec::finish_step(std::span<const Layer> layers, Range pixels, Pixels out, Canvas& canvas,
                             Bytes& accumulated) const {
  const Format& format = layout().format;
  const Format& gathered = accumulator_.format();
  Pixels to = out;
  if (gathered != format) {
    accumulated.shrink(0);
    to = laid_out(gathered, pixels.size(), accumulated.grow(PixelBuffer::bytes(gathered, pixels.size())));
  }
  canvas.begin(pixels, to);
  for (const Layer& layer : layers) canvas.add(layer);
  if (gathered != format) {
    canvas.for_each_covered([&](Range some) {
      const std::int64_t at = some.begin - pixels.begin;
      const std::array chain{Link{advance(to, gathered, at), gathered.scalar, Side::back}};
      blend(layout().op, format.channels, format.depth, chain, advance(out, format, at), format.scalar,
            some.size());
    });
  }
  const bool behind = frame_.background.has_value();
  canvas.for_each_gap([&](Range gap) {
    fill_absent(layout().op, format, behind, advance(out, format, gap.begin - pixels.begin), gap.size());
  });
  if (behind) frame_.background->apply(out, pixels.size());
}

}  // namespace sortlast
