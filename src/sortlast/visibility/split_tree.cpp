// Order along a tree of planes provided by the caller: k-d trees, quadtrees and octrees.
#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/visibility/order.hpp"

namespace sortlast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string node_name(std::int32_t node) { return "node " + std::to_string(node) + " of the tree"; }

class Walk {
 public:
  Walk(std::span<const Box> boxes, std::span<const SplitNode> tree, const Viewpoint& viewpoint,
       const BoxNames& names)
      : boxes_(boxes),
        tree_(tree),
        eye_(eye_of(viewpoint)),
        names_(names),
        node_seen_(tree.size()),
        box_seen_(boxes.size()) {}

  std::vector<std::int32_t> order() {
    std::vector<std::int32_t> order;
    order.reserve(boxes_.size());
    if (!tree_.empty()) open(0, {{-infinity, -infinity, -infinity}, {infinity, infinity, infinity}});
    while (!open_.empty()) {
      const Open next = open_.back();
      open_.pop_back();
      if (next.child >= 0) {
        open(next.child, next.cell);
      } else {
        order.push_back(box_in(next));
      }
    }
    for (std::size_t node = 0; node < tree_.size(); ++node) {
      if (node_seen_[node] == 0)
        throw ArgumentError(node_name(static_cast<std::int32_t>(node)) +
                            " is no child of another; expected node 0 to be the only root");
    }
    append_empty(order);
    return order;
  }

 private:
  struct Open {
    std::int32_t child;
    std::int32_t parent;
    Box cell;
  };

  // Push the children of a node on the stack, the one that contains the eye on top. A child comes after those
  // that differ from it only by being on the eye's side of a plane.
  void open(std::int32_t number, const Box& cell) {
    if (index(number) >= tree_.size()) {
      throw ArgumentError("the tree names node " + std::to_string(number) + "; expected one of 0 to " +
                          std::to_string(tree_.size() - 1));
    }
    if (std::exchange(node_seen_[index(number)], 1) != 0)
      throw ArgumentError(node_name(number) + " is named twice; expected it to be a child of one node");
    const SplitNode& node = tree_[index(number)];
    check(node, number, cell);
    unsigned near = 0;
    for (unsigned axis = 0; axis < 3; ++axis)
      if ((node.axes >> axis & 1U) != 0 && eye_.low[axis] >= node.position[axis]) near |= 1U << axis;
    for (unsigned away = 8; away-- > 0;) {
      if ((away & ~node.axes) != 0) continue;
      const unsigned sides = near ^ away;
      const std::int32_t child = node.children[sides];
      if (child != SplitNode::nothing) open_.push_back({child, number, part_of(cell, node, sides)});
    }
  }

  static void check(const SplitNode& node, std::int32_t number, const Box& cell) {
    if (node.axes == 0 || node.axes > 7) {
      throw ArgumentError(node_name(number) + " has axes " + std::to_string(node.axes) +
                          "; expected 1 to 7: bit a for a plane across axis a");
    }
    for (unsigned axis = 0; axis < 3; ++axis) {
      if ((node.axes >> axis & 1U) == 0) continue;
      const double position = node.position[axis];
      // Written so that a NaN position is detected.
      if (!(cell.low[axis] <= position && position <= cell.high[axis] && position - position == 0)) {
        throw ArgumentError(node_name(number) + " divides axis " + std::to_string(axis) + " at " +
                            std::to_string(position) + "; expected a place in its cell, " +
                            std::to_string(cell.low[axis]) + " to " + std::to_string(cell.high[axis]));
      }
    }
    for (unsigned sides = 0; sides < 8; ++sides) {
      if ((sides & ~node.axes) != 0 && node.children[sides] != SplitNode::nothing) {
        throw ArgumentError(node_name(number) + " has child " + std::to_string(sides) +
                            ", above a plane that its axes do not name; expected none there");
      }
    }
  }

  static Box part_of(Box cell, const SplitNode& node, unsigned sides) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      if ((node.axes >> axis & 1U) == 0) continue;
      ((sides >> axis & 1U) != 0 ? cell.low : cell.high)[axis] = node.position[axis];
    }
    return cell;
  }

  std::int32_t box_in(const Open& leaf) {
    const std::int32_t box = -1 - leaf.child;
    if (index(box) >= boxes_.size()) {
      throw ArgumentError(node_name(leaf.parent) + " names box " + std::to_string(box) + "; there are " +
                          std::to_string(boxes_.size()));
    }
    if (std::exchange(box_seen_[index(box)], 1) != 0)
      throw ArgumentError(names_.of(box) + " is named by two leaves of the tree; expected one");
    const Box inner = shrunk(boxes_[index(box)]);
    const bool outside = on_some_axis([&](std::size_t axis) {
      return inner.low[axis] < leaf.cell.low[axis] || inner.high[axis] > leaf.cell.high[axis];
    });
    if (outside && !is_empty(boxes_[index(box)])) {
      throw ArgumentError(names_.of(box) + " is not inside its leaf's cell, a child of node " +
                          std::to_string(leaf.parent) + " of the tree");
    }
    return box;
  }

  // Append the boxes without data, which need no leaf.
  void append_empty(std::vector<std::int32_t>& order) const {
    for (std::size_t box = 0; box < boxes_.size(); ++box) {
      if (box_seen_[box] != 0) continue;
      const auto number = static_cast<std::int32_t>(box);
      if (!is_empty(boxes_[box]))
        throw ArgumentError(names_.of(number) + " is in no leaf of the tree; expected every box with data");
      order.push_back(number);
    }
  }

  std::span<const Box> boxes_;
  std::span<const SplitNode> tree_;
  Box eye_;
  const BoxNames& names_;
  std::vector<char> node_seen_;
  std::vector<char> box_seen_;
  std::vector<Open> open_;
};

}  // namespace

std::vector<std::int32_t> order_by_tree(std::span<const Box> boxes, std::span<const SplitNode> tree,
                                        const Viewpoint& viewpoint, const BoxNames& names) {
  check_viewpoint(viewpoint);
  for (std::size_t box = 0; box < boxes.size(); ++box)
    check_finite(boxes[box], static_cast<std::int32_t>(box), names);
  return Walk(boxes, tree, viewpoint, names).order();
}

}  // namespace sortlast
