// Visibility order: which rank's data lies in front of which, seen from a viewpoint.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sortlast {

// Axis-aligned box, in the units of the scene. A box that is empty (low > high on some axis) holds no data.
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
// part of its own. Boxes may share faces, up to a millionth of their extent. Where several orders are right,
// lower ranks come first; empty boxes come last. Throws ArgumentError, naming the ranks, if two boxes overlap
// or boxes cover each other in a cycle; the boxes of a kd-tree or of a regular grid never do. O(p^2).
std::vector<std::int32_t> visibility_order(std::span<const Box> boxes, const Viewpoint& viewpoint);

}  // namespace sortlast
