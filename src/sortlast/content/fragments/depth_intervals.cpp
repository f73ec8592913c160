// Depth intervals.
#include "sortlast/content/fragments/depth_intervals.hpp"

#include <algorithm>

namespace sortlast {
namespace {

constexpr std::int64_t tiles_across = 16;

std::int64_t tile_extent(std::int64_t extent) {
  return std::max<std::int64_t>(1, (extent + tiles_across - 1) / tiles_across);
}

}  // namespace

DepthTiles::DepthTiles(Size size)
    : width_(size.width),
      tile_width_(tile_extent(size.width)),
      tile_height_(tile_extent(size.height)),
      columns_((size.width + tile_width_ - 1) / tile_width_),
      rows_((size.height + tile_height_ - 1) / tile_height_) {}

DepthLimits::DepthLimits(const DepthTiles& tiles, std::span<const DepthInterval> all, std::size_t rank)
    : tiles_(tiles), steps_(tiles.count()), parts_all_(tiles.count()) {
  for (std::size_t tile = 0; tile < steps_.size(); ++tile) {
    std::vector<Step>& steps = steps_[tile];
    for (std::size_t other = 0; other * tiles.count() < all.size(); ++other) {
      const DepthInterval& interval = all[other * tiles.count() + tile];
      if (other != rank && interval.nearest <= interval.farthest)
        steps.push_back({interval.farthest, interval.nearest});
    }
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.farthest < b.farthest; });
    for (std::size_t i = steps.size(); i-- > 1;)
      steps[i - 1].nearest = std::min(steps[i - 1].nearest, steps[i].nearest);
    // The limit of a list that begins nearer is no farther.
    const DepthInterval& own = all[rank * tiles.count() + tile];
    parts_all_[tile] = limit(tile, own.farthest) <= own.nearest;
  }
}

std::uint64_t DepthLimits::limit(std::size_t tile, std::uint32_t first) const {
  const std::vector<Step>& steps = steps_[tile];
  const auto step = std::lower_bound(steps.begin(), steps.end(), first,
                                     [](const Step& each, std::uint32_t key) { return each.farthest < key; });
  return step == steps.end() ? std::uint64_t{1} << 32U : step->nearest;
}

}  // namespace sortlast
