// Box tree: a complete binary tree over boxes, built by halving them along the longest side.
#include "sortlast/visibility/box_tree.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace sortlast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double centre(const Box& box, std::size_t axis) { return 0.5 * box.low[axis] + 0.5 * box.high[axis]; }

// Axes sorted by the spread of the boxes' centres along them, largest first.
std::array<std::size_t, 3> axes_by_spread(std::span<const Box> boxes, std::span<const std::int32_t> chosen) {
  std::array<double, 3> spread{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = infinity;
    double high = -infinity;
    for (const std::int32_t box : chosen) {
      low = std::min(low, centre(boxes[static_cast<std::size_t>(box)], axis));
      high = std::max(high, centre(boxes[static_cast<std::size_t>(box)], axis));
    }
    spread[axis] = high - low;
  }
  std::array<std::size_t, 3> axes{0, 1, 2};
  std::sort(axes.begin(), axes.end(), [&](std::size_t a, std::size_t b) { return spread[a] > spread[b]; });
  return axes;
}

}  // namespace

const BoxTree::Node BoxTree::nothing{{infinity, infinity, infinity, infinity, infinity, infinity}, INT32_MAX};

BoxTree::BoxTree(std::span<const Box> boxes)
    : order_(boxes.size()),
      leaves_(std::bit_ceil(std::max<std::size_t>(1, boxes.size()))),
      nodes_(2 * leaves_, nothing) {
  std::iota(order_.begin(), order_.end(), 0);
  sort_places(boxes, 0, leaves_);
  boxes_.reserve(boxes.size());
  for (const std::int32_t box : order_) boxes_.push_back(boxes[static_cast<std::size_t>(box)]);
}

// Sorts the places [first, first + width), as far as they exist, so that the boxes of each node are close.
void BoxTree::sort_places(std::span<const Box> boxes, std::size_t first, std::size_t width) {
  const std::size_t end = std::min(first + width, order_.size());
  if (first + 1 >= end) return;
  const std::size_t middle = first + width / 2;
  if (middle < end) {
    const std::span<std::int32_t> places = std::span(order_).subspan(first, end - first);
    const auto axes = axes_by_spread(boxes, places);
    const auto before = [&](std::int32_t a, std::int32_t b) {
      for (const std::size_t axis : axes) {
        const double centre_a = centre(boxes[static_cast<std::size_t>(a)], axis);
        const double centre_b = centre(boxes[static_cast<std::size_t>(b)], axis);
        if (centre_a != centre_b) return centre_a < centre_b;
      }
      return a < b;
    };
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(width / 2), places.end(),
                     before);
  }
  sort_places(boxes, first, width / 2);
  sort_places(boxes, middle, width / 2);
}

BoxTree::Node BoxTree::node_of(const Box& box, std::int32_t key) {
  return {{box.low[0], box.low[1], box.low[2], -box.high[0], -box.high[1], -box.high[2]}, key};
}

// Without a branch per bound, because the bound that separates the boxes is unpredictable.
bool BoxTree::meets(const Bounds& bounds, const Bounds& limits) {
  int all = 1;
  for (std::size_t i = 0; i < bounds.size(); ++i) all &= static_cast<int>(bounds[i] < limits[i]);
  return all != 0;
}

void BoxTree::combine_children(std::size_t node) {
  const Node& a = nodes_[2 * node];
  const Node& b = nodes_[2 * node + 1];
  Node both{{}, std::min(a.key, b.key)};
  for (std::size_t i = 0; i < both.bounds.size(); ++i) both.bounds[i] = std::min(a.bounds[i], b.bounds[i]);
  nodes_[node] = both;
}

void BoxTree::insert_all(std::span<const std::int32_t> keys) {
  for (std::size_t box = 0; box < boxes_.size(); ++box)
    nodes_[leaves_ + box] = node_of(boxes_[box], keys[box]);
  for (std::size_t node = leaves_ - 1; node > 0; --node) combine_children(node);
}

void BoxTree::clear() { std::fill(nodes_.begin(), nodes_.end(), nothing); }

void BoxTree::set(std::int32_t box, const Node& value) {
  std::size_t node = leaves_ + static_cast<std::size_t>(box);
  nodes_[node] = value;
  while ((node /= 2) > 0) combine_children(node);
}

void BoxTree::insert(std::int32_t box, std::int32_t key) {
  set(box, node_of(boxes_[static_cast<std::size_t>(box)], key));
}

void BoxTree::remove(std::int32_t box) { set(box, nothing); }

std::int32_t BoxTree::lowest_in(const Box& query, std::int32_t except) const {
  const Bounds limits{query.high[0], query.high[1], query.high[2],
                      -query.low[0], -query.low[1], -query.low[2]};
  const std::size_t excepted = leaves_ + static_cast<std::size_t>(except);
  std::size_t best = 0;
  std::int32_t best_key = nothing.key;
  std::array<std::size_t, 64> open;  // nodes still to visit; every level of the tree adds at most one
  std::size_t count = 0;
  const auto consider = [&](std::size_t node) {
    if (nodes_[node].key < best_key && meets(nodes_[node].bounds, limits)) open[count++] = node;
  };

  consider(1);
  while (count > 0) {
    const std::size_t node = open[--count];
    if (nodes_[node].key >= best_key || node == excepted) continue;
    if (node >= leaves_) {
      best = node;
      best_key = nodes_[node].key;
      continue;
    }
    // Visit the child with the lower key first.
    const std::size_t first = 2 * node + (nodes_[2 * node + 1].key < nodes_[2 * node].key ? 1 : 0);
    consider(first ^ 1);
    consider(first);
  }
  return best == 0 ? none : static_cast<std::int32_t>(best - leaves_);
}

}  // namespace sortlast
