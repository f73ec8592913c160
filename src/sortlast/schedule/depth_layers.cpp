// Depth layers.
#include "sortlast/schedule/depth_layers.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace sortlast {
namespace {

// The rank of each image, front to back.
std::vector<std::int32_t> ranks_by_depth(const Setting& setting) {
  std::vector<std::pair<std::int64_t, std::int32_t>> images;
  for (std::size_t rank = 0; rank < setting.positions.size(); ++rank)
    for (const std::int64_t position : setting.positions[rank])
      images.emplace_back(position, static_cast<std::int32_t>(rank));
  std::sort(images.begin(), images.end());
  std::vector<std::int32_t> ranks;
  ranks.reserve(images.size());
  for (const auto& [position, rank] : images) ranks.push_back(rank);
  return ranks;
}

}  // namespace

DepthLayers::DepthLayers(const Schedule& schedule) : p_(schedule.p()), images_(schedule.p()) {
  const Setting& setting = schedule.setting();
  if (setting.positions.empty()) return;

  // Find the place of each rank in the programs' depth ranges.
  std::vector<std::int64_t> place;
  for (std::int32_t rank = 0; rank < schedule.p(); ++rank)
    place.push_back(schedule.program(rank).values.front().depth.begin);

  images_of_.resize(static_cast<std::size_t>(p_), 0);
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> neighbours;
  const std::vector<std::int32_t> ranks = ranks_by_depth(setting);
  images_ = static_cast<std::int64_t>(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::int64_t here = place[static_cast<std::size_t>(ranks[i])];
    ++images_of_[static_cast<std::size_t>(here)];
    if (i == 0) continue;
    const std::int64_t before = place[static_cast<std::size_t>(ranks[i - 1])];
    ++neighbours[std::minmax(before, here)];
  }
  for (const auto& [places, count] : neighbours) neighbours_.emplace_back(places.first, places.second, count);
}

DepthLayers::Count DepthLayers::of(Range depth) const {
  if (images_of_.empty()) return {depth.size(), 1};
  // Depth ranges are counted modulo p.
  const auto round = [&](std::int64_t place) { return (place % p_ + p_) % p_; };
  const auto inside = [&](std::int64_t place) { return round(place - depth.begin) < depth.size(); };
  Count count;
  for (std::int64_t place = depth.begin; place < depth.end; ++place)
    count.images += images_of_[static_cast<std::size_t>(round(place))];
  count.layers = count.images;
  for (const auto& [a, b, pairs] : neighbours_)
    if (inside(a) && inside(b)) count.layers -= pairs;
  return count;
}

double mean_layers(const Setting& setting) {
  if (setting.positions.empty()) return 1;
  const std::vector<std::int32_t> ranks = ranks_by_depth(setting);
  std::int64_t layers = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (i == 0 || ranks[i] != ranks[i - 1]) ++layers;
  return static_cast<double>(layers) / setting.p;
}

}  // namespace sortlast
