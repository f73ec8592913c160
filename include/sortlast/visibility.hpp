// Visibility order: which boxes of data lie in front of which, seen from a viewpoint.
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

// Which order it is where several are right.
enum class Ties {
  lowest_first,  // the lowest number that nothing unplaced can cover comes next
  planes,        // a walk of the k-d tree whose planes halve the boxes and cross none; and it is made sooner
};

// Boxes (indices into `boxes`: with one a rank, ranks) from front to back: a box stands behind all that can
// cover a part of it. Empty boxes come last. Boxes may share faces, and overlap by a millionth of their
// extent: each is taken to be smaller by that much on every side, so that faces may differ by rounding.
// Throws ArgumentError, naming the ranks, if a coordinate is not finite, two boxes overlap, or boxes cover
// each other in a cycle; the boxes of a kd-tree or of a regular grid never do. Memory is O(p) for p boxes.
// With Ties::planes the time is O(p log p) for what planes divide; what they leave, and all with
// Ties::lowest_first, takes a few searches a box in a tree of boxes, each of which may visit O(p^(2/3)) of
// them.
SORTLAST_API std::vector<std::int32_t> visibility_order(std::span<const Box> boxes,
                                                        const Viewpoint& viewpoint,
                                                        Ties ties = Ties::lowest_first);

// A box, or a part of one that had to be split.
struct BoxPart {
  Box box;
  std::int32_t source = 0;  // index of the box that it is a part of
};

// As visibility_order with Ties::planes, for boxes that may overlap and may cover each other in cycles: they
// are split until there is an order. Parts from front to back; together they hold what the boxes hold, once.
// A box that need not be split is one part, as it is; empty boxes come last. What several boxes hold goes to
// the smallest of them (of adaptive mesh refinement: the finest), and of equal ones to the lowest; a box that
// smaller ones fill has no part at all. Cuts are planes through a whole part. Where boxes cover each other in
// cycles, sets of boxes that lie on cycles with each other are cut by themselves: with the fewest cuts there
// are if one is enough and the set has up to 32 boxes, or if all ways to make the fewest can be tried (10^7
// pairs of boxes looked at); else one after the other, each by what leaves the fewest boxes on cycles.
SORTLAST_API std::vector<BoxPart> visibility_order_of_parts(std::span<const Box> boxes,
                                                            const Viewpoint& viewpoint);

// A node of a k-d tree, quadtree or octree: its cell is divided by a plane across each of its axes. Node 0 is
// the root, and its cell is all of space.
struct SplitNode {
  static constexpr std::int32_t nothing = INT32_MIN;

  unsigned axes = 0;                 // bit a: there is a plane across axis a
  std::array<double, 3> position{};  // of the plane across each axis, in the units of the scene
  // By the sides of the planes: bit a of the index is set above the plane across axis a. A number is that of
  // a node; -1 - i is a leaf that holds box i; `nothing` holds no data.
  std::array<std::int32_t, 8> children{nothing, nothing, nothing, nothing,
                                       nothing, nothing, nothing, nothing};
};

// Boxes from front to back along a tree that the caller has, in O(p). Empty boxes that no leaf holds come
// last. Throws ArgumentError if the nodes are not one tree, a plane lies outside its cell, or a box with data
// is not held by one leaf, or not inside its leaf's cell but for a millionth of its extent.
SORTLAST_API std::vector<std::int32_t> visibility_order(std::span<const Box> boxes,
                                                        std::span<const SplitNode> tree,
                                                        const Viewpoint& viewpoint);

}  // namespace sortlast
