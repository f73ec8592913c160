// Own fragments.
#include "sortlast/execute/layers/fragments/own_fragments.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/layers/fragments/count_runs.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t stride = 1024;  // of firsts_, in pixels
constexpr Format surface_format{Scalar::float32, 4, true};

std::string place(std::int64_t pixel, std::int64_t width) {
  return "(" + std::to_string(pixel % width) + ", " + std::to_string(pixel / width) + ")";
}

void check_lengths(const FragmentsView& view) {
  check_size(view.size, surface_format);
  const auto pixels = static_cast<std::size_t>(view.size.pixels());
  if (!view.counts.empty() && view.counts.size() != pixels)
    throw ArgumentError("there are " + std::to_string(view.counts.size()) +
                        " counts of fragments; expected " + std::to_string(pixels) + ", one a pixel");
  if (view.colour.size() != 4 * view.depth.size())
    throw ArgumentError("there are " + std::to_string(view.colour.size()) + " values of colours for " +
                        std::to_string(view.depth.size()) + " depths of fragments; expected 4 each");
}

// Include the depths [depth, last) in the interval.
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

bool any_opaque(const std::byte* colour, std::size_t fragments) {
  bool found = false;
  for (std::size_t i = 0; i < fragments; ++i) found |= load_colour(colour + i * colour_bytes)[3] == 1;
  return found;
}

}  // namespace

void check_fragment_background(std::span<const float> background) {
  if (!background.empty() && background.size() != 4)
    throw ArgumentError("background has " + std::to_string(background.size()) +
                        " values; expected 4, red, green, blue and alpha, as fragments have");
}

OwnFragments::OwnFragments(const FragmentsView& view, std::uint32_t rank) : view_(view), rank_(rank) {
  check_lengths(view);
  const auto pixels = static_cast<std::int64_t>(view.counts.size());
  std::size_t total = 0;
  for (std::int64_t begin = 0; begin < pixels; begin += stride) {
    firsts_.push_back(total);
    const auto some = view.counts.subspan(static_cast<std::size_t>(begin),
                                          static_cast<std::size_t>(std::min(stride, pixels - begin)));
    std::int32_t bits = 0;
    for (const std::int32_t count : some) {
      bits |= count;
      total += static_cast<std::uint32_t>(count);
    }
    if (bits >= 0) continue;
    const auto found = std::find_if(some.begin(), some.end(), [](std::int32_t count) { return count < 0; });
    throw ArgumentError("the count of fragments of pixel " +
                        place(begin + (found - some.begin()), view.size.width) + " is " +
                        std::to_string(*found) + "; expected 0 or more");
  }
  firsts_.push_back(total);
  if (total != view.depth.size())
    throw ArgumentError("the counts add up to " + std::to_string(total) + " fragments, but there are " +
                        std::to_string(view.depth.size()) + " depths; expected one a fragment");
}

std::size_t OwnFragments::first(std::int64_t pixel) const {
  const std::int64_t block = pixel / stride;
  const auto begin = view_.counts.begin() + block * stride;
  return std::accumulate(
      begin, begin + pixel % stride, firsts_[static_cast<std::size_t>(block)],
      [](std::size_t sum, std::int32_t count) { return sum + static_cast<std::size_t>(count); });
}

std::span<const std::uint32_t> OwnFragments::counts(Range pixels) const {
  const auto* const all = reinterpret_cast<const std::uint32_t*>(view_.counts.data());
  return {all + pixels.begin, static_cast<std::size_t>(pixels.size())};
}

std::size_t OwnFragments::most(Range pixels) const {
  const std::size_t surface = view_.surface.depth == nullptr ? 0 : static_cast<std::size_t>(pixels.size());
  if (view_.counts.empty() || pixels.empty()) return surface;
  return surface + first(pixels.end) - first(pixels.begin);
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
  tiles.for_each_run(0, view_.size.pixels(), [&](std::size_t tile, std::int64_t begin, std::int64_t end) {
    DepthInterval interval = found[tile];
    if (!view_.counts.empty()) {
      const auto some = counts({begin, end});
      const float* const last = std::accumulate(
          some.begin(), some.end(), depth, [](const float* at, std::uint32_t count) { return at + count; });
      include_depths(depth, last, interval);
      depth = last;
    }
    for (std::int64_t pixel = begin; view_.surface.depth != nullptr && pixel < end; ++pixel)
      if (has_surface(pixel)) interval.include(depth_key(view_.surface.depth[pixel]));
    found[tile] = interval;
  });
  return found;
}

// The fragments of a pixel by depth, those of equal depth as they are listed. Most lists are short.
void OwnFragments::sort_pixel(std::size_t from, std::size_t count, std::vector<std::size_t>& order) const {
  constexpr std::size_t few = 32;
  const auto nearer = [this](std::size_t a, std::size_t b) {
    return depth_key(view_.depth[a]) < depth_key(view_.depth[b]);
  };
  order.resize(count);
  std::iota(order.begin(), order.end(), from);
  if (count > few) {
    std::stable_sort(order.begin(), order.end(), nearer);
    return;
  }
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t at = i; at > 0 && nearer(order[at], order[at - 1]); --at)
      std::swap(order[at], order[at - 1]);
}

// Says no if a depth is NaN.
bool OwnFragments::in_order(Range pixels) const {
  const float* depth = view_.depth.data() + first(pixels.begin);
  const std::span<const std::uint32_t> some = counts(pixels);
  for (std::size_t pixel = 0; pixel < some.size();) {
    const std::uint32_t count = some[pixel];
    const std::size_t end = end_of_equal_counts(some, pixel);
    const float* const last = depth + (end - pixel) * count;
    bool ordered = true;
    if (count > 1) {
      for (; depth < last; depth += count)
        for (std::uint32_t i = 1; i < count; ++i) ordered &= depth[i - 1] <= depth[i];
    }
    if (!ordered) return false;
    depth = last;
    pixel = end;
  }
  return true;
}

FragmentLists OwnFragments::load(Range pixels, Room& room) const {
  const bool listed = !view_.counts.empty();
  const std::size_t begin = listed ? first(pixels.begin) : 0;
  if (view_.surface.depth == nullptr) {
    if (!listed) return {};
    if (in_order(pixels))
      return {counts(pixels),
              reinterpret_cast<const std::byte*>(view_.colour.data() + 4 * begin),
              reinterpret_cast<const std::byte*>(view_.depth.data() + begin),
              nullptr,
              0,
              rank_,
              most(pixels)};
  }

  // Put each pixel's list in order.
  room.counts.clear();
  room.colour.resize(most(pixels) * colour_bytes);
  room.depth.resize(most(pixels) * sizeof(float));
  std::size_t to = 0;
  const auto put = [&](const Colour& colour, float depth) {
    store_colour(colour, room.colour.data() + to * colour_bytes);
    std::memcpy(room.depth.data() + to * sizeof depth, &depth, sizeof depth);
    ++to;
  };
  std::vector<std::size_t> order;
  std::size_t from = begin;
  for (std::int64_t pixel = pixels.begin; pixel < pixels.end; ++pixel) {
    const std::size_t before = to;
    const auto count = listed ? static_cast<std::size_t>(view_.counts[static_cast<std::size_t>(pixel)]) : 0;
    sort_pixel(from, count, order);
    bool surface = has_surface(pixel);
    const auto put_surface = [&] {
      Colour colour = load_colour(view_.surface.colour + static_cast<std::size_t>(pixel) * colour_bytes);
      colour[3] = 1;
      put(colour, surface_depth(pixel));
      surface = false;
    };
    for (const std::size_t each : order) {
      if (surface && depth_key(surface_depth(pixel)) < depth_key(view_.depth[each])) put_surface();
      put(load_colour(reinterpret_cast<const std::byte*>(view_.colour.data() + 4 * each)), view_.depth[each]);
    }
    if (surface) put_surface();
    from += count;
    room.counts.push_back(static_cast<std::uint32_t>(to - before));
  }
  return {room.counts, room.colour.data(), room.depth.data(), nullptr, 0, rank_, to};
}

void OwnFragments::encode(Range pixels, const DepthLimits* limits, Bytes& out) const {
  Room room;
  const FragmentLists lists = load(pixels, room);
  if (lists.size == 0) return;
  FragmentWriter writer(out, lists.size, rank_);
  if (limits == nullptr) {
    writer.add_pixels(lists, 0, lists.counts);
    writer.finish();
    return;
  }

  // Blend the beginning of each list that no other rank's fragments can part.
  std::size_t at = 0;
  std::size_t pixel = 0;
  limits->tiles().for_each_run(
      pixels.begin, pixels.end, [&](std::size_t tile, std::int64_t begin, std::int64_t end) {
        const auto run = lists.counts.subspan(pixel, static_cast<std::size_t>(end - begin));
        const std::size_t fragments = std::accumulate(run.begin(), run.end(), std::size_t{0});
        if (limits->parts_all(tile) && !any_opaque(lists.colour + at * colour_bytes, fragments)) {
          writer.add_pixels(lists, at, run);
          at += fragments;
          pixel += run.size();
          return;
        }
        for (std::int64_t i = begin; i < end; ++i, ++pixel) {
          const std::size_t last = at + lists.counts[pixel];
          if (at < last) {
            const float depth = load_depth(lists.depth + at * sizeof(float));
            const std::uint64_t limit = limits->limit(tile, depth_key(depth));
            Colour blended = load_colour(lists.colour + at * colour_bytes);
            const auto next_joins = [&] {
              return at < last && blended[3] != 1 &&
                     depth_key(load_depth(lists.depth + at * sizeof(float))) < limit;
            };
            for (++at; next_joins(); ++at)
              blended = blend_over(blended, load_colour(lists.colour + at * colour_bytes));
            writer.add(blended, depth, rank_);
            bool hidden = blended[3] == 1;
            for (; at < last && !hidden; ++at) {
              const Colour colour = load_colour(lists.colour + at * colour_bytes);
              writer.add(colour, load_depth(lists.depth + at * sizeof(float)), rank_);
              hidden = colour[3] == 1;
            }
          }
          at = last;
          writer.end_pixel();
        }
      });
  writer.finish();
}

}  // namespace sortlast
