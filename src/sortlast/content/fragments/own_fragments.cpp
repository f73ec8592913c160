// Own fragments.
#include "sortlast/content/fragments/own_fragments.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// The counts, after checking that there is one per pixel.
std::span<const std::int32_t> checked_counts(const FragmentsView& view) {
  if (view.scalar == Scalar::float16)
    throw ArgumentError("the colours of the fragments are float16; expected float32 or uint8");
  const bool bytes = view.scalar == Scalar::uint8;
  check_size(view.size, {view.scalar, 4, true});
  const auto pixels = static_cast<std::size_t>(view.size.pixels());
  if (!view.counts.empty() && view.counts.size() != pixels)
    throw ArgumentError("there are " + std::to_string(view.counts.size()) +
                        " counts of fragments; expected " + std::to_string(pixels) + ", one a pixel");
  const std::size_t values = bytes ? view.colour_uint8.size() : view.colour.size();
  if (values != 4 * view.depth.size())
    throw ArgumentError("there are " + std::to_string(values) + " values of colours for " +
                        std::to_string(view.depth.size()) + " depths of fragments; expected 4 each");
  if (!(bytes ? view.colour.empty() : view.colour_uint8.empty()))
    throw ArgumentError("the fragments have colours of float32 and of uint8; expected those of their scalar");
  return view.counts;
}

// Extend the interval by the depths [depth, last).
void include_depths(const float* depth, const float* last, DepthInterval& interval) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Colour least = Colour{} + infinity;
  Colour most = Colour{} - infinity;
  auto no_number = least != least;
  for (; last - depth >= 4; depth += 4) {
    const Colour some = load_colour(reinterpret_cast<const std::byte*>(depth));
    least = some < least ? some : least;
    most = some > most ? some : most;
    no_number |= some != some;
  }
  for (int lane = 0; lane < 4; ++lane) {
    if (least[lane] <= most[lane]) {
      interval.include(depth_key(least[lane]));
      interval.include(depth_key(most[lane]));
    }
    if (no_number[lane] != 0) interval.include(depth_key(std::numeric_limits<float>::quiet_NaN()));
  }
  for (; depth < last; ++depth) interval.include(depth_key(*depth));
}

bool any_opaque(const FragmentLists& lists, std::size_t first, std::size_t fragments) {
  bool found = false;
  for (std::size_t i = first; i < first + fragments; ++i) found |= lists.colour_of(i)[3] == 1;
  return found;
}

}  // namespace

void check_fragment_background(std::span<const float> background) {
  if (!background.empty() && background.size() != 4)
    throw ArgumentError("background has " + std::to_string(background.size()) +
                        " values; expected 4, red, green, blue and alpha, as fragments have");
}

OwnFragments::OwnFragments(const FragmentsView& view, std::uint32_t rank)
    : view_(view), rank_(rank), index_(checked_counts(view), view.size.width), extras_(view) {
  if (index_.total() != view.depth.size())
    throw ArgumentError("the counts add up to " + std::to_string(index_.total()) +
                        " fragments, but there are " + std::to_string(view.depth.size()) +
                        " depths; expected one a fragment");
}

std::size_t OwnFragments::most(Range pixels) const {
  const std::size_t surface = view_.surface.depth == nullptr ? 0 : static_cast<std::size_t>(pixels.size());
  return surface + index_.first(pixels.end) - index_.first(pixels.begin);
}

float OwnFragments::surface_depth(std::int64_t pixel) const {
  return view_.surface.depth != nullptr ? view_.surface.depth[pixel] : std::numeric_limits<float>::infinity();
}

bool OwnFragments::has_surface(std::int64_t pixel) const {
  return surface_depth(pixel) < std::numeric_limits<float>::infinity();
}

std::vector<DepthInterval> OwnFragments::intervals(const DepthTiles& tiles) const {
  std::vector<DepthInterval> found(tiles.count());
  const float* depth = view_.depth.data();
  RunReader runs(index_.runs());
  tiles.for_each_run(0, view_.size.pixels(), [&](std::size_t tile, std::int64_t begin, std::int64_t end) {
    DepthInterval interval = found[tile];
    if (!view_.counts.empty()) {
      const float* const last = depth + runs.pass_all(static_cast<std::size_t>(end - begin));
      include_depths(depth, last, interval);
      depth = last;
    }
    for (std::int64_t pixel = begin; view_.surface.depth != nullptr && pixel < end; ++pixel)
      if (has_surface(pixel)) interval.include(depth_key(view_.surface.depth[pixel]));
    found[tile] = interval;
  });
  return found;
}

// The lists without their extras.
FragmentLists OwnFragments::where_they_lie(Range pixels, ListRoom& room) const {
  const std::size_t first = index_.first(pixels.begin);
  room.runs.clear();
  index_.append(pixels, room.runs);
  return {room.runs,
          fragment_colours(view_) + first * colour_bytes(view_.scalar),
          reinterpret_cast<const std::byte*>(view_.depth.data() + first),
          nullptr,
          0,
          rank_,
          index_.first(pixels.end) - first,
          0,
          view_.scalar};
}

FragmentLists OwnFragments::as_listed(Range pixels, ListRoom& room) const {
  FragmentLists lists = where_they_lie(pixels, room);
  const std::size_t each = layout().extra_bytes();
  if (each == 0) return lists;
  room.extras.shrink(0);
  std::byte* const to = room.extras.grow(lists.size * each);
  const std::size_t first = index_.first(pixels.begin);
  for (std::size_t i = 0; i < lists.size; ++i) extras_.put(first + i, to + i * each);
  lists.extras = to;
  lists.extra_bytes = each;
  return lists;
}

FragmentLists OwnFragments::list(Range pixels, ListRoom& room) const {
  const FragmentLists listed = as_listed(pixels, room);
  return view_.surface.depth == nullptr ? listed : with_surface(listed, pixels, room);
}

FragmentLists OwnFragments::load(Range pixels, ListRoom& room) const {
  const FragmentLists lists = list(pixels, room);
  return view_.surface.depth == nullptr ? put_in_order(lists, room) : lists;
}

// The lists in order, with the surface inserted.
FragmentLists OwnFragments::with_surface(const FragmentLists& listed, Range pixels, ListRoom& room) const {
  room.colour.shrink(0);
  room.depth.shrink(0);
  const std::size_t each_colour = colour_bytes(view_.scalar);
  std::byte* const colours = room.colour.grow(most(pixels) * each_colour);
  std::byte* const depths = room.depth.grow(most(pixels) * sizeof(float));
  const std::size_t each_extra = layout().extra_bytes();
  Bytes extras;
  std::byte* const all_extras = extras.grow(most(pixels) * each_extra);
  std::size_t to = 0;
  const auto put = [&](const Colour& colour, float depth) {
    store_colour(colour, colours + to * each_colour, view_.scalar);
    std::memcpy(depths + to * sizeof depth, &depth, sizeof depth);
    ++to;
  };
  std::vector<CountRun> runs;
  std::vector<std::size_t> order;
  std::size_t from = 0;
  RunReader counts(listed.runs);
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
    const std::size_t before = to;
    sort_pixel(listed, from, counts.count(), order);
    from += counts.count();
    counts.pass(1);
    bool surface = has_surface(pixel);
    const auto put_surface = [&] {
      Colour colour =
          load_colour(view_.surface.colour + static_cast<std::size_t>(pixel) * each_colour, view_.scalar);
      colour[3] = 1;
      extras_.put_surface(surface_depth(pixel), all_extras + to * each_extra);
      put(colour, surface_depth(pixel));
      surface = false;
    };
    for (const std::size_t each : order) {
      const float depth = load_depth(listed.depth + each * sizeof(float));
      if (surface && depth_key(surface_depth(pixel)) < depth_key(depth)) put_surface();
      if (each_extra > 0) std::memcpy(all_extras + to * each_extra, listed.extras_at(each), each_extra);
      put(listed.colour_of(each), depth);
    }
    if (surface) put_surface();
    add_run(runs, static_cast<std::uint32_t>(to - before), 1);
  }
  room.runs = std::move(runs);
  room.extras = std::move(extras);
  return {room.runs, room.colour.data(), room.depth.data(),  nullptr,   0, rank_, to,
          0,         view_.scalar,       room.extras.data(), each_extra};
}

void OwnFragments::encode(Range pixels, const DepthLimits* limits, Bytes& out) const {
  ListRoom room;
  const FragmentLists lists = load(pixels, room);
  if (lists.size == 0) return;
  FragmentWriter writer(out, lists.size, layout(), rank_);
  if (limits == nullptr) {
    RunReader runs(lists.runs);
    writer.add_pixels(lists, 0, runs, static_cast<std::size_t>(pixels.size()));
  } else {
    encode_blended(lists, pixels, *limits, writer);
  }
  writer.finish();
}

void OwnFragments::refer(Range pixels, Bytes& out) const {
  ListRoom room;
  FragmentLists lists = where_they_lie(pixels, room);
  lists.colour = nullptr;
  lists.first = index_.first(pixels.begin);
  write_reference(lists, out);
}

// Blend the beginning of each list, as far as no other rank's fragments can lie in between.
void OwnFragments::encode_blended(const FragmentLists& lists, Range pixels, const DepthLimits& limits,
                                  FragmentWriter& writer) const {
  std::size_t at = 0;
  RunReader runs(lists.runs);
  const auto blend_pixel = [&](std::size_t tile) {
    const std::size_t last = at + runs.count();
    if (at < last) {
      const std::size_t first = at;
      const float depth = load_depth(lists.depth + at * sizeof(float));
      const std::uint64_t limit = limits.limit(tile, depth_key(depth));
      Colour blended = lists.colour_of(at);
      const auto next_joins = [&] {
        return at < last && blended[3] != 1 &&
               depth_key(load_depth(lists.depth + at * sizeof(float))) < limit;
      };
      for (++at; next_joins(); ++at) blended = blend_over(blended, lists.colour_of(at));
      writer.add(blended, depth, rank_, lists.extras_at(first));
      bool hidden = blended[3] == 1;
      for (; at < last && !hidden; ++at) {
        const Colour colour = lists.colour_of(at);
        writer.add(colour, load_depth(lists.depth + at * sizeof(float)), rank_, lists.extras_at(at));
        hidden = colour[3] == 1;
      }
    }
    at = last;
    writer.end_pixel();
    runs.pass(1);
  };
  limits.tiles().for_each_run(
      pixels.begin, pixels.end, [&](std::size_t tile, std::int64_t begin, std::int64_t end) {
        const auto some = static_cast<std::size_t>(end - begin);
        if (limits.parts_all(tile) && !any_opaque(lists, at, fragments_ahead(runs, some))) {
          at += writer.add_pixels(lists, at, runs, some);
          return;
        }
        for (std::size_t i = 0; i < some; ++i) blend_pixel(tile);
      });
}

}  // namespace sortlast
