// Box tree: among boxes that are inserted and removed, finds the one with the lowest key that meets a given
// box.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast {

// A bounding volume hierarchy with one box per leaf: a complete binary tree in which each node holds the
// bounds and the lowest key of the inserted boxes below it. Boxes are identified by their place in the tree,
// so boxes that are close together have neighbouring numbers and memory. 56 bytes per node, two to four nodes
// per box.
class BoxTree {
 public:
  // No box may be empty or have a non-finite coordinate. Initially, no box is inserted. O(p log p).
  explicit BoxTree(std::span<const Box> boxes);

  // The boxes at their places, and their indices in the constructor's argument.
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<std::int32_t>& order() const { return order_; }

  // Keys are from 0 to INT32_MAX - 1; inserted boxes have distinct keys.
  void insert_all(std::span<const std::int32_t> keys);  // box i with keys[i]; O(p)
  void insert(std::int32_t box, std::int32_t key);      // O(log p)
  void remove(std::int32_t box);                        // O(log p)
  void clear();                                         // O(p)

  // The inserted box with the lowest key that shares more than a face with `query`, excluding `except`;
  // `none` if there is no such box. Visits nodes that meet the query, in the order of their keys.
  static constexpr std::int32_t none = -1;
  std::int32_t lowest_in(const Box& query, std::int32_t except) const;

 private:
  // Low corner and negated high corner, so that both are combined with min and compared with <.
  using Bounds = std::array<double, 6>;

  struct Node {
    Bounds bounds;
    std::int32_t key;
  };

  static Node node_of(const Box& box, std::int32_t key);
  static bool meets(const Bounds& bounds, const Bounds& limits);
  void sort_places(std::span<const Box> boxes, std::size_t first, std::size_t width);
  void set(std::int32_t box, const Node& value);
  void combine_children(std::size_t node);

  static const Node nothing;
  std::vector<std::int32_t> order_;
  std::vector<Box> boxes_;
  std::size_t leaves_;       // a power of two; box i is nodes_[leaves_ + i]
  std::vector<Node> nodes_;  // children of nodes_[i]: nodes_[2 i] and nodes_[2 i + 1]; nodes_[0] is unused
};

}  // namespace sortlast
