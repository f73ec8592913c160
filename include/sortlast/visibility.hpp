// Visibility order: which rank's data lies in front of which, seen from a viewpoint.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/export.hpp"

namespace sortlast {

// Axis-aligned box, in the units of the scene. A box with low > high on some axis is empty: it holds no data.
// An empty box may have infinite coordinates (low = +infinity, high = -infinity); any other is finite.
struct Box {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
};

// An eye point; or, for a parallel projection, the direction in which the viewer looks.
struct Viewpoint {
  std::array<double, 3> position{};
  bool parallel = false;  // position is a direction
};

// Ranks (indices into `boxes`) from front to back: a rank stands behind all ranks whose box can cover a
// part of its own. Where several orders are right, lower ranks come first; empty boxes come last.
// Boxes may share faces, and overlap by a millionth of their extent: each is taken to be smaller by that much
// on every side, so that faces may differ by rounding.
// Throws ArgumentError, naming the ranks, if a coordinate is not finite, two boxes overlap, or boxes cover
// each other in a cycle; the boxes of a kd-tree or of a regular grid never do. Memory is O(p) for p boxes,
// and the time close to O(p log p): 10^5 boxes take half a second or so. Every box takes a few searches in a
// tree of boxes, each of which may visit O(p^(2/3)) of them.
SORTLAST_API std::vector<std::int32_t> visibility_order(std::span<const Box> boxes,
                                                        const Viewpoint& viewpoint);

}  // namespace sortlast
