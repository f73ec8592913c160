// Visibility order.
//
// Box a can cover a part of b only if no plane between them has the eye on b's side. For boxes that do not
// overlap there is an axis on which they are apart; on every such axis the planes between them are asked.
// "Can cover" is a relation between pairs; sorting the ranks so that it is kept gives the order, or shows
// a cycle (three beams that lie across each other).
#include "sortlast/visibility.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

bool is_empty(const Box& box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(box.low[axis] <= box.high[axis])) return true;
  }
  return false;
}

// Whether some plane across `axis` between a and b has the eye on b's side (or in it): then a cannot
// cover b. Requires that a and b are apart on the axis.
bool hidden_side(const Box& a, const Box& b, std::size_t axis, const Viewpoint& view) {
  const bool a_below = a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis];
  const double eye = view.position[axis];
  if (view.parallel) return a_below ? eye <= 0 : eye >= 0;  // looking up the axis, what is below is in front
  return a_below ? eye >= a.high[axis] : eye <= a.low[axis];
}

// Faces that should be one may differ by rounding.
bool apart(const Box& a, const Box& b, std::size_t axis) {
  constexpr double tolerance = 1e-6;  // of the boxes' extent
  const double slack = tolerance * std::max(a.high[axis] - a.low[axis], b.high[axis] - b.low[axis]);
  return a.high[axis] <= b.low[axis] + slack || b.high[axis] <= a.low[axis] + slack;
}

bool can_cover(const Box& a, const Box& b, const Viewpoint& view) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (apart(a, b, axis) && hidden_side(a, b, axis, view)) return false;
  }
  return true;
}

bool overlap(const Box& a, const Box& b) { return !apart(a, b, 0) && !apart(a, b, 1) && !apart(a, b, 2); }

// A cycle among the ranks that are left: follow one that covers each until a rank comes again.
std::string describe_cycle(const std::vector<std::vector<std::int32_t>>& covered_by,
                           const std::vector<int>& waiting) {
  auto rank = static_cast<std::int32_t>(
      std::find_if(waiting.begin(), waiting.end(), [](int count) { return count > 0; }) - waiting.begin());
  std::vector<std::int32_t> path;
  while (std::find(path.begin(), path.end(), rank) == path.end()) {
    path.push_back(rank);
    const auto& fronts = covered_by[static_cast<std::size_t>(rank)];
    rank = *std::find_if(fronts.begin(), fronts.end(),
                         [&](std::int32_t front) { return waiting[static_cast<std::size_t>(front)] > 0; });
  }
  std::string text = std::to_string(rank);
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    text += " covers " + std::to_string(*at);
    if (*at == rank) break;
  }
  return text;
}

}  // namespace

std::vector<std::int32_t> visibility_order(std::span<const Box> boxes, const Viewpoint& viewpoint) {
  const std::size_t p = boxes.size();
  const auto& position = viewpoint.position;
  if (viewpoint.parallel && position[0] == 0 && position[1] == 0 && position[2] == 0) {
    throw ArgumentError("the direction of view is (0, 0, 0); expected one that points somewhere");
  }
  std::vector<std::vector<std::int32_t>> covers(p);
  std::vector<std::vector<std::int32_t>> covered_by(p);
  std::vector<int> waiting(p, 0);  // ranks in front that are not placed yet

  // Find who can cover whom.
  for (std::size_t a = 0; a < p; ++a) {
    if (is_empty(boxes[a])) continue;
    for (std::size_t b = 0; b < p; ++b) {
      if (a == b || is_empty(boxes[b])) continue;
      if (overlap(boxes[a], boxes[b])) {
        throw ArgumentError("the boxes of ranks " + std::to_string(std::min(a, b)) + " and " +
                            std::to_string(std::max(a, b)) +
                            " overlap; expected boxes that share no more than a face");
      }
      if (!can_cover(boxes[a], boxes[b], viewpoint)) continue;
      covers[a].push_back(static_cast<std::int32_t>(b));
      covered_by[b].push_back(static_cast<std::int32_t>(a));
      ++waiting[b];
    }
  }

  // Place ranks that nothing unplaced covers.
  std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free;
  std::vector<std::int32_t> order;
  std::vector<std::int32_t> empty;
  for (std::size_t rank = 0; rank < p; ++rank) {
    if (is_empty(boxes[rank])) {
      empty.push_back(static_cast<std::int32_t>(rank));
    } else if (waiting[rank] == 0) {
      free.push(static_cast<std::int32_t>(rank));
    }
  }
  while (!free.empty()) {
    const std::int32_t rank = free.top();
    free.pop();
    order.push_back(rank);
    for (const std::int32_t back : covers[static_cast<std::size_t>(rank)]) {
      if (--waiting[static_cast<std::size_t>(back)] == 0) free.push(back);
    }
  }
  if (order.size() + empty.size() < p) {
    throw ArgumentError("the boxes have no front-to-back order: rank " + describe_cycle(covered_by, waiting) +
                        "; split one of them, or divide the data by a kd-tree");
  }
  order.insert(order.end(), empty.begin(), empty.end());
  return order;
}

}  // namespace sortlast
