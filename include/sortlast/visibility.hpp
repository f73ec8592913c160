// Visibility order: which boxes of data lie in front of which, seen from a viewpoint.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/export.hpp"

namespace sortlast {

// Axis-aligned box in the units of the scene. A box with low > high on every axis is empty: it holds no data.
// An empty box may have infinite coordinates (low = +infinity, high = -infinity); any other box is finite. A
// box with low > high on some axes only is an error, as its coordinates are probably in another order.
struct Box {
  std::array<double, 3> low{};
  std::array<double, 3> high{};
};

// An eye point or, for a parallel projection, the viewing direction.
struct Viewpoint {
  std::array<double, 3> position{};
  bool parallel = false;  // position is the viewing direction
};

// Which order to return if several are valid.
enum class Ties {
  lowest_first,  // next comes the lowest number that no remaining box can cover
  planes,        // a walk of the k-d tree of planes that halve the boxes and cross none; faster
};

// Boxes from front to back, as indices into `boxes` (with one box per rank: ranks). A box comes after all
// boxes that can cover a part of it; empty boxes come last. Boxes may share faces, and overlap by a millionth
// of their extent: each is shrunk by that much on every side, so that faces may differ by rounding. Throws
// ArgumentError with the ranks if a coordinate is not finite, two boxes overlap, or boxes cover each other in
// a cycle. The boxes of a k-d tree or a regular grid never do. Memory is O(p) for p boxes. With Ties::planes,
// the time is O(p log p) for boxes that planes can separate. The remaining boxes, and all boxes with
// Ties::lowest_first, take a few searches per box in a tree of boxes, each of which may visit O(p^(2/3))
// boxes.
SORTLAST_API std::vector<std::int32_t> visibility_order(std::span<const Box> boxes,
                                                        const Viewpoint& viewpoint,
                                                        Ties ties = Ties::lowest_first);

// A box, or a part of one that had to be split.
struct BoxPart {
  Box box;
  std::int32_t source = 0;  // index of the box that it is a part of
};

// Like visibility_order with Ties::planes, for boxes that may overlap and may cover each other in cycles:
// they are split until there is an order. Returns parts from front to back. Together they hold the volume of
// the boxes, each point once. A box that need not be split stays whole; empty boxes come last. Volume shared
// by several boxes goes to the smallest (with adaptive mesh refinement: the finest), and among equal ones to
// the lowest index; a box filled by smaller ones has no part. Cuts are planes through a whole part. Sets of
// boxes that cover each other in cycles are cut separately. The number of cuts is minimal if one cut is
// enough and the set has up to 32 boxes, or if all ways to make the fewest cuts can be tried (10^7 pairs of
// boxes examined); otherwise cuts are made one at a time, each leaving the fewest boxes on cycles.
SORTLAST_API std::vector<BoxPart> visibility_order_of_parts(std::span<const Box> boxes,
                                                            const Viewpoint& viewpoint);

// A node of a k-d tree, quadtree or octree: a plane across each of its axes divides its cell. Node 0 is the
// root, and its cell is all of space.
struct SplitNode {
  static constexpr std::int32_t nothing = INT32_MIN;

  unsigned axes = 0;                 // bit a: there is a plane across axis a
  std::array<double, 3> position{};  // of the plane across each axis, in the units of the scene
  // Indexed by the sides of the planes: bit a of the index is set above the plane across axis a. A
  // nonnegative value is the number of a node; -1 - i is a leaf that holds box i; `nothing` holds no data.
  std::array<std::int32_t, 8> children{nothing, nothing, nothing, nothing,
                                       nothing, nothing, nothing, nothing};
};

// Boxes from front to back along a tree given by the caller, in O(p). Empty boxes that no leaf holds come
// last. Throws ArgumentError if the nodes do not form one tree, a plane lies outside its cell, or a box with
// data is not held by exactly one leaf or extends out of its leaf's cell by more than a millionth of its
// extent.
SORTLAST_API std::vector<std::int32_t> visibility_order(std::span<const Box> boxes,
                                                        std::span<const SplitNode> tree,
                                                        const Viewpoint& viewpoint);

}  // namespace sortlast
