// Fragment frames: composites lists of fragments, and gathers the merged lists.
#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/compositor.hpp"
#include "sortlast/content/fragments/fragment_codec.hpp"
#include "sortlast/content/strings/string_content.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/layer_frames.hpp"
#include "sortlast/execute/mpi/check.hpp"
#include "sortlast/execute/mpi/compositor_access.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/node_spans.hpp"

namespace sortlast {
namespace {

using detail::CompositorAccess;

std::string all_fragments() { return "all ranks to exchange what fragments they have"; }

template <typename Value>
std::vector<Value> all_gather_values(const FrameContext& context, const std::vector<Value>& mine) {
  const std::vector<std::byte> bytes = detail::all_gather(context.comm, context.alarm, all_fragments,
                                                          mine.data(), mine.size() * sizeof(Value));
  std::vector<Value> all(bytes.size() / sizeof(Value));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

// Throw ArgumentError, on every rank, if one rank would exceed the memory limit. Collective.
void check_bytes(const FrameContext& context, const OwnFragments& own,
                 const FragmentComposition& composition) {
  const auto p = static_cast<std::int64_t>(context.comm.size());
  const std::int64_t n = own.size().pixels();
  std::vector<std::uint64_t> mine;
  for (std::int64_t part = 0; part < p; ++part) mine.push_back(own.most({n * part / p, n * (part + 1) / p}));
  const std::vector<std::uint64_t> sums = all_sum(context.comm, context.alarm, all_fragments, mine);
  const auto most = std::max_element(sums.begin(), sums.end());
  const auto bytes =
      static_cast<std::int64_t>(*most * own.layout().bytes()) * (composition.keep_lists ? 2 : 1);
  if (bytes <= composition.max_bytes) return;
  throw SettledError<ArgumentError>("rank " + std::to_string(most - sums.begin()) + " would have to hold " +
                                    std::to_string(bytes) + " bytes of fragments, and max_bytes is " +
                                    std::to_string(composition.max_bytes) +
                                    "; allow more, use more ranks or pass fewer fragments");
}

void check_composition(const FragmentComposition& composition) {
  check_fragment_background(composition.background);
  if (composition.max_bytes < 0)
    throw ArgumentError("max_bytes is " + std::to_string(composition.max_bytes) + "; expected 0 or more");
}

// Exchange the depth intervals that the ranks need from each other, and make the content. Collective.
std::unique_ptr<const StringCodec> make_content(const FrameContext& context, const OwnFragments& own,
                                                const FragmentComposition& composition) {
  if (composition.max_bytes > 0) check_bytes(context, own, composition);
  const auto rank = static_cast<std::uint32_t>(context.comm.rank());
  std::optional<DepthLimits> limits;
  // Fragments cannot be blended early in uint8, nor if they are intervals, where more than the depths
  // decides.
  const bool early = own.layout().scalar == Scalar::float32 && own.layout().extra_bytes() == 0;
  if (!composition.keep_lists && !context.all_in_place && early) {
    const DepthTiles tiles(own.size());
    limits.emplace(tiles, all_gather_values(context, own.intervals(tiles)), rank);
  }
  return std::make_unique<const FragmentCodec>(
      own, rank, context.comm.size(), composition, std::move(limits),
      std::make_unique<const NodeSpans>(context.node, publications(context.node)),
      [&pool = context.pool](std::size_t bytes) { return pool.take(bytes); });
}

// The colours and the depths; no spans if there are no fragments.
std::vector<Span> spans_of(const FragmentsView& fragments) {
  const std::size_t size = fragments.depth.size();
  if (size == 0) return {};
  return {{fragment_colours(fragments), size * colour_bytes(fragments.scalar)},
          {fragments.depth.data(), size * sizeof(float)}};
}

// The lists of the whole image of a tile of p ranks, from strings in any order.
Fragments fragments_of(std::vector<LayerString> strings, const detail::TileData& tile, std::int32_t p) {
  const Scalar scalar = tile.format.scalar;
  FragmentLayout layout{scalar, tile.fragment_intervals, 0};
  for (const ChannelPlane& plane : tile.fragment_channels) layout.channel_bytes += plane.pixel_bytes();
  std::sort(strings.begin(), strings.end(),
            [](const LayerString& a, const LayerString& b) { return a.pixels.begin < b.pixels.begin; });
  Fragments found;
  found.size = tile.size;
  found.counts.assign(static_cast<std::size_t>(tile.size.pixels()), 0);
  found.scalar = scalar;
  std::vector<CountRun> runs;
  std::vector<FragmentLists> lists;
  std::size_t total = 0;
  for (const LayerString& string : strings) {
    if (string.bytes.empty()) continue;
    lists.push_back(read_fragments(string.bytes, string.pixels.size(), p, layout, runs));
    total += lists.back().size;
    auto to = found.counts.begin() + string.pixels.begin;
    for (const CountRun& run : runs) to = std::fill_n(to, run.pixels, static_cast<std::int32_t>(run.count));
  }
  const bool bytes = scalar == Scalar::uint8;
  if (bytes) {
    found.colour_uint8.resize(4 * total);
  } else {
    found.colour.resize(4 * total);
  }
  std::byte* colour = bytes ? reinterpret_cast<std::byte*>(found.colour_uint8.data())
                            : reinterpret_cast<std::byte*>(found.colour.data());
  found.depth.resize(total);
  ExtraPlanes extras(found, tile.fragment_intervals, tile.fragment_channels, total);
  std::size_t at = 0;
  for (const FragmentLists& some : lists) {
    std::memcpy(colour, some.colour, some.size * colour_bytes(scalar));
    colour += some.size * colour_bytes(scalar);
    std::memcpy(found.depth.data() + at, some.depth, some.size * sizeof(float));
    extras.add(some.extras, some.size);
    at += some.size;
  }
  return found;
}

}  // namespace

Tile Compositor::composite_fragments(const FragmentsView& fragments, const FragmentComposition& composition,
                                     const PixelBuffer& out) {
  LayerCall call{fragments.size, {fragments.scalar, 4, false}, {}, {}, {}};
  std::optional<OwnFragments> own;
  call.problem = problem_of([&] {
    check_composition(composition);
    call.arguments = FragmentExtras(fragments).arguments();
    FragmentsView kept = fragments;
    if (!composition.keep_lists) kept.channels = {};
    own.emplace(kept, static_cast<std::uint32_t>(rank()));
    if (fragments.surface.depth == nullptr && own->layout().extra_bytes() == 0)
      call.exposed = spans_of(fragments);
  });
  call.arguments.insert(call.arguments.end(), {{"content", "fragments"},
                                               {"background", text(composition.background)},
                                               {"keep_lists", composition.keep_lists ? "yes" : "no"},
                                               {"max_bytes", std::to_string(composition.max_bytes)}});
  call.prepare = [&](detail::TileData& tile) {
    tile.fragment_lists = composition.keep_lists;
    tile.fragment_intervals = own->layout().intervals;
    tile.fragment_channels = own->extras().planes();
  };
  call.content = [&](const FrameContext& context) { return make_content(context, *own, composition); };
  return CompositorAccess::composite_layers(*this, call, out);
}

std::optional<Fragments> Compositor::gather_fragments(const Tile& tile, int root) {
  const detail::TileData& data = detail::TileAccess::data(tile);
  const std::string problem =
      data.fragment_lists || data.maker == nullptr
          ? ""
          : "the tile has no lists of fragments; expected one of fragments composited with keep_lists";
  std::optional<std::vector<LayerString>> strings =
      CompositorAccess::gather_layers(*this, tile, root, problem);
  if (!strings) return std::nullopt;
  return fragments_of(std::move(*strings), data, size());
}

}  // namespace sortlast
