// Box tree: finds, among boxes that come and go, the one of lowest key that meets a given box.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast {

// A bounding volume hierarchy with a box a leaf: a complete binary tree, each node of which holds the bounds
// and the lowest key of those boxes below it that are in. Boxes go by their place in the tree, so that boxes
// which lie close have numbers, and memory, which do. 56 bytes a node, two to four nodes a box.
class BoxTree {
 public:
  // No box may be empty or have a coordinate that is not finite. None is in to begin with. O(p log p).
  explicit BoxTree(std::span<const Box> boxes);

  // The boxes at their places, and the index in the constructor's argument of each.
  const std::vector<Box>& boxes() const { return boxes_; }
  const std::vector<std::int32_t>& order() const { return order_; }

  // Keys are from 0 to INT32_MAX - 1, and no two boxes that are in have the same.
  void insert_all(std::span<const std::int32_t> keys);  // box i with keys[i]; O(p)
  void insert(std::int32_t box, std::int32_t key);      // O(log p)
  void remove(std::int32_t box);                        // O(log p)
  void clear();                                         // O(p)

  // Of the boxes that are in and share more than a face with `query`, the one of lowest key, but never
  // `except`; `none` if there is no such box. Visits nodes that meet the query, in the order of their keys.
  static constexpr std::int32_t none = -1;
  std::int32_t lowest_in(const Box& query, std::int32_t except) const;

 private:
  // Low corner and negated high corner, so that both are combined by their minimum and compared by <.
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
  std::vector<Node> nodes_;  // those below nodes_[i] are nodes_[2 i] and nodes_[2 i + 1]; nodes_[0] is unused
};

}  // namespace sortlast
