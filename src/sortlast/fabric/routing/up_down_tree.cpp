#include "sortlast/fabric/routing/up_down_tree.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast::fabric {

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

void shorten(std::int32_t& hops, std::int32_t by_other) {
  if (by_other >= 0 && (hops < 0 || hops > by_other + 1)) hops = by_other + 1;
}

}  // namespace

UpDownTree::UpDownTree(const Topology& topology) : topology_(topology), graph_(topology) {
  if (topology.levels() == 0) {
    throw ArgumentError(topology.name() +
                        " is no tree, or its levels are not known; name its root switches, if it has any");
  }
  for (std::int32_t s = 0; s < graph_.switches(); ++s) by_level_.push_back(s);
  std::stable_sort(by_level_.begin(), by_level_.end(),
                   [&](std::int32_t a, std::int32_t b) { return topology.level(a) > topology.level(b); });
  for (std::int32_t level = 1; level < topology.levels(); ++level) parts_.push_back(connect_below(level));
}

void UpDownTree::aim(std::int32_t destination) {
  if (std::exchange(aimed_, destination) == destination) return;

  // Going down alone: each switch depends on the switches below it, so start with the lowest.
  down_.assign(at(graph_.switches()), -1);
  down_[at(destination)] = 0;
  for (auto s = by_level_.rbegin(); s != by_level_.rend(); ++s) {
    for (const SwitchCable& cable : graph_.cables(*s)) {
      if (is_up(cable.other, *s) && *s != destination) shorten(down_[at(*s)], down_[at(cable.other)]);
    }
  }

  // The others go up first: each depends on the switches above it, so start with the highest.
  any_ = down_;
  for (const std::int32_t s : by_level_) {
    if (down_[at(s)] >= 0) continue;
    for (const SwitchCable& cable : graph_.cables(s)) {
      if (is_up(s, cable.other)) shorten(any_[at(s)], any_[at(cable.other)]);
    }
  }
}

std::vector<SwitchCable> UpDownTree::ways(std::int32_t s) const {
  std::vector<SwitchCable> found;
  const bool goes_up = down_[at(s)] < 0;
  for (const SwitchCable& cable : graph_.cables(s)) {
    const std::int32_t left = goes_up ? any_[at(cable.other)] : down_[at(cable.other)];
    const bool right_way = goes_up ? is_up(s, cable.other) : is_up(cable.other, s);
    if (right_way && left >= 0 && left + 1 == any_[at(s)]) found.push_back(cable);
  }
  return found;
}

UpDownTree::Parts UpDownTree::connect_below(std::int32_t level) const {
  Parts parts{std::vector<std::int32_t>(at(graph_.switches()), -1), {}};
  for (std::int32_t first = 0; first < graph_.switches(); ++first) {
    if (topology_.level(first) > level || parts.of[at(first)] >= 0) continue;
    const auto number = static_cast<std::int32_t>(parts.links.size());
    parts.links.push_back(0);
    parts.of[at(first)] = number;
    breadth_first(graph_, {first}, [&](std::int32_t, const SwitchCable& cable) {
      if (topology_.level(cable.other) > level) {
        ++parts.links.back();
        return false;
      }
      return std::exchange(parts.of[at(cable.other)], number) < 0;
    });
  }
  return parts;
}

}  // namespace sortlast::fabric
