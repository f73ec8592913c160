// BoxImages.
//
// An image contributes nothing outside its box, and costs what its box has in the string's pixels. Ranks of a
// node read each other's images where they lie, so that a string for mates only says that there are some.
//
// Blended parts keep the scalar of accumulators (float32 but for closest), so that the whole chain of images
// of a pixel is rounded once, at the end. Images of uint8 are a quarter of that, so blending them early
// seldom takes less room, and they travel as they are.
//
// At the end the parts are blended front to back into accumulators, some rows at a time, so that these and
// what is copied from mates stay in the cache.
#include "sortlast/execute/layers/box_images.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/layers/box_list.hpp"
#include "sortlast/execute/layers/box_merge.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {
namespace {

using Place = BoxTable::Place;

// Of accumulators and of what is copied at once: few enough to stay in the cache, and enough that what the
// kernel copies is not single rows of small boxes.
constexpr std::size_t step_bytes = std::size_t{2} << 20;
constexpr double most_active = 0.8;  // of images whose empty pixels are left out

}  // namespace

BoxImages::BoxImages(BoxFrame frame, std::int32_t rank, std::span<const ConstPixels> images,
                     std::unique_ptr<const PeerSpans> peers, Bytes::Take take)
    : frame_(std::move(frame)),
      accumulator_(frame_.op, frame_.format),
      stored_{frame_.format, accumulator_.format()},
      peers_(std::move(peers)),
      take_(std::move(take)) {
  for (std::size_t place = 0; place < table().size(); ++place) {
    const PlacedBox& placed = table().at(static_cast<Place>(place));
    if (placed.rank != rank) continue;
    const ConstPixels pixels = images[static_cast<std::size_t>(placed.index)];
    const std::int64_t n = (placed.box.x1 - placed.box.x0) * (placed.box.y1 - placed.box.y0);
    const bool sparse =
        leaves_out_empty() && n > 0 && n <= most_counted &&
        sample_active(frame_.format, pixels, 0, n, samples_of_each(images.size())) <= most_active;
    own_.push_back({static_cast<Place>(place), pixels, sparse});
  }
}

const BoxImages::Own* BoxImages::own(Place place) const {
  const auto found = std::lower_bound(own_.begin(), own_.end(), place,
                                      [](const Own& each, Place wanted) { return each.place < wanted; });
  return found != own_.end() && found->place == place ? &*found : nullptr;
}

// An empty pixel is as good as none, but where a colour of 0 is above or below what the others have.
bool BoxImages::leaves_out_empty() const {
  if (!frame_.sparse || frame_.op == Op::min) return false;
  return frame_.op != Op::max || frame_.format.scalar == Scalar::uint8;
}

// ---- Parts ----------------------------------------------------------------------------------------

// Append the parts of this rank's images among the pixels, front to back, but for what is not worth sending.
void BoxImages::list_own(Range pixels, std::vector<BoxPixels>& parts) const {
  std::vector<ActiveRun> active;
  for (const Own& image : own_) {
    if (!table().meets(image.place, pixels)) continue;
    const Place place = image.place;
    const Rectangle& box = table().at(place).box;
    const Range stored = pixels_of_box(box, pixels, width());
    const auto add = [&](Range some) {
      parts.push_back({place, place, false, box, some, advance(image.pixels, frame_.format, some.begin)});
    };
    if (!image.sparse) {
      add(stored);
      continue;
    }
    active.clear();
    append_active(frame_.format, image.pixels, stored.begin, stored.end, active);
    for (const ActiveRun& run : active) add({run.begin, run.begin + run.count});
  }
}

// An image of another rank, if it can be read where it lies; else null, and it has to be fetched.
ConstPixels BoxImages::in_place(const PlacedBox& placed) const {
  const std::size_t span = first_span(frame_.format, placed.index);
  if (!peers_ || span >= peers_->count(placed.rank))
    throw Error("images of another rank came damaged: they refer to images that cannot be read");
  const std::byte* const colour = peers_->in_place(placed.rank, span);
  if (!frame_.format.depth) return {colour, nullptr};
  const std::byte* const depth = peers_->in_place(placed.rank, span + 1);
  if (colour == nullptr || depth == nullptr) return {};
  return {colour, reinterpret_cast<const float*>(depth)};
}

// Append the parts of images that ranks have published, or this rank has, among the pixels, front to back.
// Those that have to be fetched have no pixels yet.
void BoxImages::list_published(std::vector<BoxReference> references, Range pixels,
                               std::vector<BoxPixels>& parts) const {
  const auto before = [](const BoxReference& a, const BoxReference& b) { return a.rank < b.rank; };
  std::sort(references.begin(), references.end(), before);
  for (const Place place : table().meeting(pixels)) {
    const PlacedBox& placed = table().at(place);
    auto reference =
        std::lower_bound(references.begin(), references.end(), BoxReference{placed.rank, {}}, before);
    if (reference == references.end() || reference->rank != placed.rank) continue;
    const Own* const mine = own(place);
    const ConstPixels image = mine != nullptr ? mine->pixels : in_place(placed);
    for (; reference != references.end() && reference->rank == placed.rank; ++reference) {
      const Range stored = pixels_of_box(placed.box, intersection(reference->pixels, pixels), width());
      if (stored.empty()) continue;
      BoxPixels part{place, place, false, placed.box, stored, {}};
      if (image.colour != nullptr) part.pixels = advance(image, frame_.format, stored.begin);
      parts.push_back(part);
    }
  }
}

// What strings of some of the pixels `of` list, and this rank's own images if `own`, front to back: at least
// all among `pixels`.
std::vector<BoxPixels> BoxImages::parts_of(std::span<const String> strings, Range of, bool own,
                                           Range pixels) const {
  BoxString listed;
  for (const String string : strings) read_string(stored_, string, of, table(), listed);
  if (own && !own_.empty()) listed.references.push_back({table().at(own_.front().place).rank, pixels});
  const bool sorted = listed.parts.empty();
  if (!listed.references.empty()) list_published(std::move(listed.references), pixels, listed.parts);
  if (!sorted) sort_by_place(listed.parts, table().size());
  return std::move(listed.parts);
}

std::size_t BoxImages::bytes_to_fetch(std::span<const BoxPixels> parts) const {
  std::size_t bytes = 0;
  for (const BoxPixels& part : parts)
    if (part.pixels.colour == nullptr)
      bytes += padded_colour_bytes(frame_.format, part.stored.size()) +
               padded_depth_bytes(frame_.format, part.stored.size());
  return bytes;
}

// Copy the pixels of those parts that have none into the room.
void BoxImages::fetch(std::span<BoxPixels> parts, Bytes& room) const {
  const std::size_t bytes = bytes_to_fetch(parts);
  if (bytes == 0) return;
  room.shrink(0);
  std::byte* at = room.grow(bytes);
  std::vector<std::pair<std::int32_t, std::vector<PeerSpans::Copy>>> of;  // by rank
  for (BoxPixels& part : parts) {
    if (part.pixels.colour != nullptr) continue;
    const PlacedBox& placed = table().at(part.first);
    const Format& format = frame_.format;
    Pixels to{at, nullptr};
    at += padded_colour_bytes(format, part.stored.size());
    if (format.depth) to.depth = reinterpret_cast<float*>(at);
    at += padded_depth_bytes(format, part.stored.size());
    part.pixels = to;
    auto mate =
        std::find_if(of.begin(), of.end(), [&](const auto& each) { return each.first == placed.rank; });
    if (mate == of.end()) mate = of.insert(of.end(), {placed.rank, {}});
    const std::size_t span = first_span(format, placed.index);
    const auto add = [&](std::size_t number, std::size_t pixel_bytes, void* target) {
      mate->second.push_back({number, static_cast<std::size_t>(part.stored.begin) * pixel_bytes,
                              static_cast<std::size_t>(part.stored.size()) * pixel_bytes,
                              static_cast<std::byte*>(target)});
    };
    add(span, format.colour_bytes(), to.colour);
    if (format.depth) add(span + 1, sizeof(float), to.depth);
  }
  for (const auto& [rank, wanted] : of) peers_->copy(rank, wanted);
}

// ---- Strings --------------------------------------------------------------------------------------

// Append parts of a group, blended to one.
void BoxImages::append_one(std::span<const BoxPixels> parts, const Rectangle& box, Range pixels,
                           Bytes& out) const {
  const BoxPixels all{
      parts.front().first, parts.back().last, true, box, pixels_of_box(box, pixels, width()), {}};
  const Pixels to = append_blended(stored_, all, out);
  // The hull as a frame of its own.
  const std::int64_t columns = box.x1 - box.x0;
  BoxCanvas canvas(accumulator_, columns);
  canvas.begin(all.stored, to);
  for (BoxPixels part : parts) {
    part.box = {part.box.x0 - box.x0, part.box.y0 - box.y0, part.box.x1 - box.x0, part.box.y1 - box.y0};
    canvas.add(part, stored_.of(part.blended).scalar);
  }
  canvas.for_each_gap([&](Range gap) {
    fill_absent(frame_.op, stored_.accumulator, false,
                advance(to, stored_.accumulator, gap.begin - all.stored.begin), gap.size());
  });
}

// Append parts, front to back, with those blended that can be.
void BoxImages::merge(std::vector<BoxPixels>& parts, Range pixels, Bytes& out) const {
  const bool gaps = frame_.op == Op::over || frame_.op == Op::add;
  std::size_t bytes = 0;
  for (const BoxPixels& part : parts) bytes += stored_.bytes(part.blended, part.stored.size());
  out.reserve(out.size() + bytes);
  for (const BoxGroup& group : BoxMerge(table(), stored_, gaps).groups(parts, pixels)) {
    if (group.one) {
      append_one(group.parts, group.box, pixels, out);
    } else {
      for (const BoxPixels& part : group.parts) append_part(stored_, part, out);
    }
  }
}

void BoxImages::encode_own(Range pixels, Bytes& out) const {
  std::vector<BoxPixels> parts;
  list_own(pixels, parts);
  merge(parts, pixels, out);
}

void BoxImages::encode_for_mates(Range pixels, Bytes& out) const {
  if (own_.empty()) return;
  const std::int32_t rank = table().at(own_.front().place).rank;
  if (!readable(rank)) {
    encode_own(pixels, out);
    return;
  }
  if (std::any_of(own_.begin(), own_.end(),
                  [&](const Own& each) { return table().meets(each.place, pixels); }))
    append_reference({rank, pixels}, out);
}

void BoxImages::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  std::vector<BoxPixels> parts = parts_of(strings, pixels, false, pixels);
  Bytes room(take_);
  fetch(parts, room);
  merge(parts, pixels, out);
}

void BoxImages::cut(String string, Range from, Range pixels, Bytes& out) const {
  std::vector<BoxPixels> parts = parts_of({&string, 1}, from, false, pixels);
  for (BoxPixels& part : parts) part = clipped(part, pixels, width(), stored_.of(part.blended));
  std::erase_if(parts, [](const BoxPixels& part) { return part.stored.empty(); });
  Bytes room(take_);
  fetch(parts, room);
  for (const BoxPixels& part : parts) append_part(stored_, part, out);
}

// ---- The end --------------------------------------------------------------------------------------

void BoxImages::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                       Bytes* /*joined*/) const {
  const Range all{0, table().frame().pixels()};
  const std::vector<BoxPixels> parts = parts_of(strings, all, own, pixels);
  if (parts.empty()) {
    const bool behind = frame_.background.has_value();
    fill_absent(frame_.op, frame_.format, behind, out, pixels.size());
    if (behind) frame_.background->apply(out, pixels.size());
    return;
  }

  // As many rows at a time as stay in the cache.
  const std::size_t bytes =
      static_cast<std::size_t>(pixels.size()) * accumulator_.format().pixel_bytes() + bytes_to_fetch(parts);
  const std::int64_t rows = pixels.size() / width() + 1;
  const auto steps = static_cast<std::int64_t>(bytes / step_bytes) + 1;
  const std::int64_t step = std::max<std::int64_t>(1, rows / steps) * width();
  BoxCanvas canvas(accumulator_, width());
  Bytes room(take_);
  Bytes accumulated(take_);
  std::vector<BoxPixels> some;
  for (std::int64_t begin = pixels.begin; begin < pixels.end;) {
    const std::int64_t end = std::min(pixels.end, (begin / width()) * width() + step);
    some.clear();
    const std::int64_t first_row = begin / width();
    const std::int64_t last_row = (end - 1) / width();
    for (const BoxPixels& part : parts) {
      if (part.box.y1 <= first_row || part.box.y0 > last_row) continue;
      const BoxPixels kept = clipped(part, {begin, end}, width(), stored_.of(part.blended));
      if (!kept.stored.empty()) some.push_back(kept);
    }
    fetch(some, room);
    finish_step(some, {begin, end}, advance(out, frame_.format, begin - pixels.begin), canvas, accumulated);
    begin = end;
  }
}

// Blend parts of these pixels, and round.
void BoxImages::finish_step(std::span<const BoxPixels> parts, Range pixels, Pixels out, BoxCanvas& canvas,
                            Bytes& accumulated) const {
  const Format& format = frame_.format;
  const Format& gathered = accumulator_.format();
  Pixels to = out;
  if (gathered != format) {
    accumulated.shrink(0);
    const std::size_t colours = padded_colour_bytes(gathered, pixels.size());
    std::byte* const memory = accumulated.grow(colours + padded_depth_bytes(gathered, pixels.size()));
    to = {memory, format.depth ? reinterpret_cast<float*>(memory + colours) : nullptr};
  }
  canvas.begin(pixels, to);
  for (const BoxPixels& part : parts) canvas.add(part, stored_.of(part.blended).scalar);
  if (gathered != format) {
    canvas.for_each_covered([&](Range some) {
      const std::int64_t at = some.begin - pixels.begin;
      const std::array chain{Link{advance(to, gathered, at), gathered.scalar, Side::back}};
      blend(frame_.op, format.channels, format.depth, chain, advance(out, format, at), format.scalar,
            some.size());
    });
  }
  const bool behind = frame_.background.has_value();
  canvas.for_each_gap([&](Range gap) {
    fill_absent(frame_.op, format, behind, advance(out, format, gap.begin - pixels.begin), gap.size());
  });
  if (behind) frame_.background->apply(out, pixels.size());
}

}  // namespace sortlast
