// Overlaps: the part of a box that other boxes do not cover.
#include <algorithm>
#include <cstdlib>

#include "sortlast/visibility/parts.hpp"

namespace sortlast {
namespace {

bool contains(const Box& outer, const Box& box) {
  return !on_some_axis(
      [&](std::size_t axis) { return outer.low[axis] > box.low[axis] || box.high[axis] > outer.high[axis]; });
}

struct Cut {
  std::size_t axis = 0;
  double position = 0;
  std::ptrdiff_t crossed = 0;  // number of other boxes
  std::ptrdiff_t unequal = 0;  // difference between their numbers on the two sides
  bool found = false;
};

// The face of one of `others` that crosses the fewest of them; among equals, the one that divides them most
// evenly.
Cut best_cut(const Part& part, std::span<const Part> others) {
  Cut best;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> lows;
    std::vector<double> highs;
    std::vector<double> faces;
    for (const Part& other : others) {
      lows.push_back(other.inner.low[axis]);
      highs.push_back(other.inner.high[axis]);
      for (const double face : {other.box.low[axis], other.box.high[axis]})
        if (part.inner.low[axis] < face && face < part.inner.high[axis]) faces.push_back(face);
    }
    std::sort(lows.begin(), lows.end());
    std::sort(highs.begin(), highs.end());
    for (const double face : faces) {
      const auto below = std::upper_bound(highs.begin(), highs.end(), face) - highs.begin();
      const auto above = lows.end() - std::lower_bound(lows.begin(), lows.end(), face);
      const auto crossed = static_cast<std::ptrdiff_t>(others.size()) - below - above;
      const Cut tried{axis, face, crossed, std::abs(below - above), true};
      if (!best.found || std::pair(tried.crossed, tried.unequal) < std::pair(best.crossed, best.unequal))
        best = tried;
    }
  }
  return best;
}

void append_rest(const Part& part, std::vector<Part> others, std::vector<Part>& rest) {
  std::erase_if(others, [&](const Part& other) { return !meet(other.inner, part.inner); });
  if (others.empty()) {
    rest.push_back(part);
    return;
  }
  // A part that no face cuts lies, up to the tolerance, inside each box that it meets.
  if (std::any_of(others.begin(), others.end(),
                  [&](const Part& other) { return contains(other.box, part.inner); }))
    return;
  const Cut plane = best_cut(part, others);
  if (!plane.found) return;
  const auto [below, above] = cut(part, plane.axis, plane.position);
  append_rest(below, others, rest);
  append_rest(above, std::move(others), rest);
}

}  // namespace

std::pair<Part, Part> cut(const Part& part, std::size_t axis, double position) {
  std::pair<Part, Part> parts{part, part};
  parts.first.box.high[axis] = parts.first.inner.high[axis] = position;
  parts.second.box.low[axis] = parts.second.inner.low[axis] = position;
  return parts;
}

std::vector<Box> inner_boxes(std::span<const Part> parts) {
  std::vector<Box> boxes;
  boxes.reserve(parts.size());
  for (const Part& part : parts) boxes.push_back(part.inner);
  return boxes;
}

std::vector<Part> without(const Part& part, std::span<const Part> others) {
  std::vector<Part> rest;
  append_rest(part, {others.begin(), others.end()}, rest);
  return rest;
}

}  // namespace sortlast
