// Lists of fragments for C callers.
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "channels.hpp"
#include "image.hpp"
#include "mpi/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/fragments.hpp"

struct sortlast_fragment_lists {
  sortlast::Fragments fragments;
  std::vector<sortlast_channel> channels;  // of the fragments
};

using namespace sortlast;
using namespace sortlast::capi;

namespace {

template <typename Value>
std::span<const Value> span_of(const Value* values, std::int64_t count, const char* what) {
  if (count < 0 || (values == nullptr && count > 0))
    throw ArgumentError(std::string("the fragments have ") + std::to_string(count) + " " + what +
                        (count < 0 ? "; expected 0 or more" : ", but their address is NULL"));
  return {values, static_cast<std::size_t>(count)};
}

// Size of the first version of the structure, which had no scalar.
constexpr std::size_t first_fragments =
    offsetof(sortlast_fragments, surface_depth) + sizeof(sortlast_fragments::surface_depth);

// `channels` stores the channels of the view.
FragmentsView view_of(const sortlast_fragments* fragments, std::vector<Channel>& channels) {
  if (fragments == nullptr)
    throw ArgumentError("the fragments are NULL; expected their size, with count 0 on a rank without any");
  const auto from = read_struct<sortlast_fragments>(fragments, SORTLAST_FRAGMENTS_INIT, first_fragments,
                                                    "sortlast_fragments", "SORTLAST_FRAGMENTS_INIT");
  const Size size{from.width, from.height};
  const Scalar scalar = format_of({from.scalar, 4, true}).scalar;
  check_size(size, {scalar, 4, true});
  const bool bytes = scalar == Scalar::uint8;
  const auto* const surface = bytes ? reinterpret_cast<const std::byte*>(from.surface_uint8)
                                    : reinterpret_cast<const std::byte*>(from.surface);
  if ((surface == nullptr) != (from.surface_depth == nullptr) && size.pixels() > 0)
    throw ArgumentError("the surface has a colour or a depth alone; expected both or none");
  FragmentsView view{size, {}, {}, span_of(from.depth, from.count, "depths"), {}};
  if (from.counts != nullptr) view.counts = span_of(from.counts, size.pixels(), "counts");
  if (from.count > 0 && (bytes ? from.colour_uint8 == nullptr : from.colour == nullptr))
    throw ArgumentError("the address of the fragments' colours is NULL; expected 4 values a fragment");
  view.scalar = scalar;
  if (bytes) {
    view.colour_uint8 = {from.colour_uint8, 4 * view.depth.size()};
  } else {
    view.colour = {from.colour, 4 * view.depth.size()};
  }
  view.surface = {surface, from.surface_depth};
  view.intervals = from.intervals;
  if (from.intervals) view.depth_back = span_of(from.depth_back, from.count, "ends in depth");
  channels = channels_of(from.channels, from.channel_count);
  view.channels = channels;
  return view;
}

}  // namespace

sortlast_status sortlast_compositor_composite_fragments(sortlast_compositor* compositor,
                                                        const sortlast_fragments* fragments,
                                                        const sortlast_fragment_composition* composition,
                                                        sortlast_tile** tile) {
  if (tile != nullptr) *tile = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    FragmentsView view;
    std::vector<Channel> channels;
    FragmentComposition how;
    PixelBuffer out;
    std::unique_ptr<sortlast_tile> result;
    const std::string problem = problem_in([&] {
      if (tile == nullptr) throw ArgumentError("the place for the tile is NULL");
      const auto from = read_struct<sortlast_fragment_composition>(
          composition, SORTLAST_FRAGMENT_COMPOSITION_INIT, sizeof(sortlast_fragment_composition),
          "sortlast_fragment_composition", "SORTLAST_FRAGMENT_COMPOSITION_INIT");
      if (from.background != nullptr) how.background = {from.background, from.background + 4};
      how.keep_lists = from.keep_lists;
      how.max_bytes = from.max_bytes;
      out = Pixels{static_cast<std::byte*>(from.out.colour), from.out.depth};
      view = view_of(fragments, channels);
      result = std::make_unique<sortlast_tile>();
    });
    if (!problem.empty()) detail::CompositorAccess::refuse(worker, "composite", problem);
    result->tile.emplace(worker.composite_fragments(view, how, out));
    for (const Range range : result->tile->ranges()) result->ranges.push_back({range.begin, range.end});
    compositor->algorithm = worker.algorithm();
    *tile = result.release();
  });
}

sortlast_status sortlast_compositor_gather_fragments(sortlast_compositor* compositor,
                                                     const sortlast_tile* tile, int32_t root,
                                                     sortlast_fragment_lists** lists) {
  if (lists != nullptr) *lists = nullptr;
  if (compositor == nullptr) return SORTLAST_ERROR_ARGUMENT;
  return guarded(*compositor, [&] {
    Compositor& worker = made(*compositor);
    std::unique_ptr<sortlast_fragment_lists> result;
    const std::string problem = problem_in([&] {
      if (lists == nullptr) throw ArgumentError("the place for the lists is NULL");
      if (tile == nullptr) throw ArgumentError("the tile is NULL; expected the one that composite made");
      result = std::make_unique<sortlast_fragment_lists>();
    });
    if (!problem.empty()) detail::CompositorAccess::refuse(worker, "gather", problem);
    std::optional<Fragments> whole = worker.gather_fragments(*tile->tile, root);
    if (!whole) return;
    result->fragments = std::move(*whole);
    for (const ChannelPlane& plane : result->fragments.channels) {
      sortlast_channel channel = SORTLAST_CHANNEL_INIT;
      channel.name = plane.name.c_str();
      channel.type = static_cast<std::int32_t>(plane.type);
      channel.width = plane.width;
      channel.values = plane.memory.get();
      result->channels.push_back(channel);
    }
    *lists = result.release();
  });
}

sortlast_fragments sortlast_fragment_lists_get(const sortlast_fragment_lists* lists) {
  if (lists == nullptr) return {};
  const Fragments& all = lists->fragments;
  return {sizeof(sortlast_fragments),
          all.size.width,
          all.size.height,
          all.counts.data(),
          all.colour.data(),
          all.depth.data(),
          static_cast<std::int64_t>(all.depth.size()),
          nullptr,
          nullptr,
          all.scalar == Scalar::uint8 ? SORTLAST_UINT8 : SORTLAST_FLOAT32,
          all.colour_uint8.data(),
          nullptr,
          all.intervals,
          all.depth_back.data(),
          lists->channels.data(),
          static_cast<std::int32_t>(lists->channels.size())};
}

void sortlast_fragment_lists_free(sortlast_fragment_lists* lists) { delete lists; }
