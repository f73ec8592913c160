// Sorter: orders, overlaps and cycles of boxes, by searches in a tree of boxes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/execute/visibility/box_tree.hpp"
#include "sortlast/execute/visibility/cover.hpp"

namespace sortlast {

// Boxes are named by their index in the constructor's argument. Memory is O(p); each function takes a few
// searches a box.
class Sorter {
 public:
  // No box may be empty or have a coordinate that is not finite.
  Sorter(std::span<const Box> boxes, const Box& eye);

  // The lowest pair of boxes that have more than a face in common.
  std::optional<std::pair<std::int32_t, std::int32_t>> overlap();

  // Some order that keeps the relation: low boxes first, each after those that can cover it. Or a cycle of
  // boxes each of which can cover the next, the first one again at the end. Requires boxes that do not meet.
  struct Draft {
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> cycle;  // empty if there is an order
  };
  Draft draft();

  // Of the orders that keep the relation the one that takes the lowest box wherever there is a choice.
  std::vector<std::int32_t> lowest_first(const Draft& draft);

  // Sets of boxes that lie on cycles with each other (most of one box alone), front to back: no box can cover
  // one of a set before its own.
  std::vector<std::vector<std::int32_t>> components();

 private:
  // The box of lowest key in the tree that can cover this one, by their places.
  std::int32_t cover_of(std::int32_t place) const {
    return tree_.lowest_in(hull(tree_.boxes()[index(place)], eye_), place);
  }
  std::vector<std::int32_t> cycle(std::span<const std::int32_t> path) const;

  Box eye_;
  BoxTree tree_;
  std::vector<std::int32_t> place_of_;  // of each box in the tree
};

}  // namespace sortlast
