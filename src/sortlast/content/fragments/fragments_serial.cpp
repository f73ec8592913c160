// The reference for fragments: sorts all fragments of a pixel, then blends them one by one.
#include <algorithm>
#include <array>
#include <numeric>

#include "sortlast/content/fragments/interval_blend.hpp"
#include "sortlast/content/fragments/own_fragments.hpp"
#include "sortlast/error.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {
namespace {

struct Ranked {
  Colour colour;
  float depth;
  std::size_t rank;
  std::vector<std::byte> extras;
};

// Call action(fragments in order) for each pixel.
template <typename Action>
void for_each_pixel(std::span<const FragmentsView> ranks, const Action& action) {
  if (ranks.empty()) return;
  std::vector<OwnFragments> checked;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    checked.emplace_back(ranks[rank], static_cast<std::uint32_t>(rank));
    if (ranks[rank].size != ranks[0].size || ranks[rank].scalar != ranks[0].scalar ||
        checked[rank].extras().arguments() != checked[0].extras().arguments())
      throw ArgumentError("the fragments of rank " + std::to_string(rank) +
                          " are of another size, scalar or channels than those of rank 0, or intervals and "
                          "those not; expected the same of all");
  }
  std::vector<Ranked> fragments;
  ListRoom room;
  for (std::int64_t pixel = 0; pixel < ranks[0].size.pixels(); ++pixel) {
    fragments.clear();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const FragmentLists lists = checked[rank].load({pixel, pixel + 1}, room);
      for (std::size_t i = 0; i < lists.size; ++i)
        fragments.push_back({lists.colour_of(i),
                             lists.depth_of(i),
                             rank,
                             {lists.extras_at(i), lists.extras_at(i) + lists.extra_bytes}});
    }
    std::stable_sort(fragments.begin(), fragments.end(), [](const Ranked& a, const Ranked& b) {
      return depth_key(a.depth) < depth_key(b.depth);
    });
    action(fragments);
  }
}

}  // namespace

Fragments merge_fragments_serial(std::span<const FragmentsView> ranks) {
  Fragments merged;
  if (!ranks.empty()) {
    merged.size = ranks[0].size;
    merged.scalar = ranks[0].scalar;
  }
  const bool bytes = merged.scalar == Scalar::uint8;
  std::vector<std::byte> extras;
  for_each_pixel(ranks, [&](const std::vector<Ranked>& fragments) {
    merged.counts.push_back(static_cast<std::int32_t>(fragments.size()));
    for (const Ranked& each : fragments) {
      std::array<std::byte, 4> stored;
      if (bytes) store_bytes(each.colour, stored.data());
      for (std::size_t channel = 0; channel < 4; ++channel) {
        if (bytes) {
          merged.colour_uint8.push_back(std::to_integer<std::uint8_t>(stored[channel]));
        } else {
          merged.colour.push_back(each.colour[channel]);
        }
      }
      merged.depth.push_back(each.depth);
      extras.insert(extras.end(), each.extras.begin(), each.extras.end());
    }
  });
  if (!ranks.empty()) {
    const FragmentExtras first(ranks[0]);
    ExtraPlanes(merged, first.layout().intervals, first.planes(), merged.depth.size())
        .add(extras.data(), merged.depth.size());
  }
  return merged;
}

std::vector<float> flatten_fragments_serial(std::span<const FragmentsView> ranks,
                                            std::span<const float> background) {
  check_fragment_background(background);
  std::vector<float> pixels;
  const bool intervals = !ranks.empty() && ranks[0].intervals;
  for_each_pixel(ranks, [&](const std::vector<Ranked>& fragments) {
    Colour colour = {};
    bool seen = !intervals;
    for (std::size_t begin = 0, end = 0; begin < fragments.size() && seen; begin = end) {
      Colour run = fragments[begin].colour;
      end = begin + 1;
      for (; end < fragments.size() && fragments[end].rank == fragments[begin].rank && run[3] != 1; ++end)
        run = blend_over(run, fragments[end].colour);
      colour = blend_over(colour, run);
      seen = run[3] != 1;
    }
    if (intervals) {
      IntervalBlend blend;
      for (const Ranked& each : fragments) blend.add(each.colour, each.depth, load_back(each.extras.data()));
      colour = blend.colour();
    }
    if (!background.empty())
      colour = blend_over(colour, load_colour(reinterpret_cast<const std::byte*>(background.data())));
    for (int channel = 0; channel < 4; ++channel) pixels.push_back(colour[channel]);
  });
  return pixels;
}

}  // namespace sortlast
