// Cover: the relation that a visibility order respects.
//
// Boxes a and b that do not overlap are separate on some axis. On each such axis there is a plane between
// them, and if the eye lies on b's side of it, a cannot cover b. If this holds on no axis, a can cover b.
// Equivalently, a has more than a face in common with the smallest box that contains b and the eye. (An axis
// on which a and b are separate and the eye is on b's side is one on which a is separate from both.) If the
// eye is at infinity, the view is parallel.
#include "sortlast/visibility/cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::string BoxNames::of(std::int32_t box) const {
  if (first_.empty()) return "the box of rank " + std::to_string(box);
  const auto rank = std::upper_bound(first_.begin(), first_.end(), box) - first_.begin() - 1;
  return "box " + std::to_string(box - first_[static_cast<std::size_t>(rank)]) + " of rank " +
         std::to_string(rank);
}

std::string BoxNames::pair(std::int32_t a, std::int32_t b) const {
  if (first_.empty()) return "the boxes of ranks " + std::to_string(a) + " and " + std::to_string(b);
  return of(a) + " and " + of(b);
}

std::string BoxNames::chain(std::span<const std::int32_t> boxes) const {
  std::string text = first_.empty() ? "rank " : "";
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (i > 0) text += " covers ";
    text += first_.empty() ? std::to_string(boxes[i]) : of(boxes[i]);
  }
  return text;
}

namespace {

// "[0, 1] x [0, 1] x [2, 3]"
std::string text(const Box& box) {
  std::ostringstream out;
  for (std::size_t axis = 0; axis < 3; ++axis)
    out << (axis > 0 ? " x [" : "[") << box.low[axis] << ", " << box.high[axis] << ']';
  return out.str();
}

}  // namespace

bool is_empty(const Box& box) {
  return on_some_axis([&](std::size_t axis) { return box.low[axis] > box.high[axis]; });
}

void check_finite(const Box& box, std::int32_t number, const BoxNames& names) {
  const bool empty = is_empty(box);
  const bool wrong = on_some_axis([&](std::size_t axis) {
    const double low = box.low[axis];
    const double high = box.high[axis];
    return empty ? std::isnan(low) || std::isnan(high) : !std::isfinite(low) || !std::isfinite(high);
  });
  if (wrong) {
    throw ArgumentError(
        names.of(number) +
        " has a coordinate that is not finite; expected finite ones, or low > high on every " +
        "axis for a rank without data");
  }
  const bool inverted_on_every_axis =
      !on_some_axis([&](std::size_t axis) { return box.low[axis] <= box.high[axis]; });
  if (empty && !inverted_on_every_axis) {
    throw ArgumentError(names.of(number) + " is " + text(box) +
                        ", with low > high on some axes only; expected low <= high on every axis, or low > " +
                        "high on every axis for a rank without data (are the coordinates in another order?)");
  }
}

void check_viewpoint(const Viewpoint& viewpoint) {
  const auto& position = viewpoint.position;
  const std::string what = viewpoint.parallel ? "the direction of view" : "the eye";
  if (on_some_axis([&](std::size_t axis) { return !std::isfinite(position[axis]); })) {
    throw ArgumentError(what + " is (" + std::to_string(position[0]) + ", " + std::to_string(position[1]) +
                        ", " + std::to_string(position[2]) + "); expected finite coordinates");
  }
  if (viewpoint.parallel && position == std::array<double, 3>{}) {
    throw ArgumentError(what + " is (0, 0, 0); expected one that points somewhere");
  }
}

Box shrunk(const Box& box) {
  constexpr double tolerance = 1e-6;  // relative to the box's extent
  Box result = box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double slack = tolerance * box.high[axis] - tolerance * box.low[axis];
    result.low[axis] += slack;
    result.high[axis] -= slack;
  }
  return result;
}

Box eye_of(const Viewpoint& viewpoint) {
  Box eye{viewpoint.position, viewpoint.position};
  if (!viewpoint.parallel) return eye;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    eye.low[axis] = viewpoint.position[axis] > 0 ? -infinity : infinity;
    eye.high[axis] = viewpoint.position[axis] < 0 ? infinity : -infinity;
  }
  return eye;
}

Box hull(Box box, const Box& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(box.low[axis], other.low[axis]);
    box.high[axis] = std::max(box.high[axis], other.high[axis]);
  }
  return box;
}

bool meet(const Box& a, const Box& b) {
  return !on_some_axis(
      [&](std::size_t axis) { return a.low[axis] >= b.high[axis] || b.low[axis] >= a.high[axis]; });
}

Box shadow(const Box& box, const Box& eye) {
  Box result;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A face hides nothing on its own side, unless the eye is beyond it.
    result.low[axis] = box.low[axis] < eye.high[axis] ? -infinity : box.low[axis];
    result.high[axis] = eye.low[axis] < box.high[axis] ? infinity : box.high[axis];
  }
  return result;
}

void refuse_overlap(std::int32_t a, std::int32_t b, const BoxNames& names) {
  throw ArgumentError(names.pair(a, b) +
                      " overlap; expected boxes that share no more than a face. Clip cells " +
                      "at the face, give each cell to one rank and its box, or split the boxes " +
                      "(visibility_order_of_parts; in Python visibility_positions with split=True)");
}

void refuse_cycle(std::span<const std::int32_t> cycle, const BoxNames& names) {
  throw ArgumentError("the boxes have no front-to-back order: " + names.chain(cycle) +
                      "; split one of them, or divide the data by a kd-tree");
}

}  // namespace sortlast
