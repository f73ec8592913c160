// Sorter: orders, overlaps and cycles of boxes, by searches in a tree of boxes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/visibility/box_tree.hpp"
#include "sortlast/visibility/cover.hpp"

namespace sortlast {

// Boxes are identified by their index in the constructor's argument. Memory is O(p); each function makes a
// few searches per box.
class Sorter {
 public:
  // No box may be empty or have a non-finite coordinate.
  Sorter(std::span<const Box> boxes, const Box& eye);

  // The lowest pair of boxes that have more than a face in common.
  std::optional<std::pair<std::int32_t, std::int32_t>> overlap();

  // An order that respects the relation: low boxes first, each after those that can cover it. Or a cycle of
  // boxes, each of which can cover the next, with the first one repeated at the end. Requires boxes that do
  // not meet.
  struct Draft {
    std::vector<std::int32_t> order;
    std::vector<std::int32_t> cycle;  // empty if there is an order
  };
  Draft draft();

  // Among the orders that respect the relation, the one that takes the lowest box wherever there is a choice.
  std::vector<std::int32_t> lowest_first(const Draft& draft);

  // Sets of boxes that lie on cycles with each other (mostly single boxes), front to back: no box can cover a
  // box of an earlier set.
  std::vector<std::vector<std::int32_t>> components();

 private:
  // The box with the lowest key in the tree that can cover this one, by place.
  std::int32_t cover_of(std::int32_t place) const {
    return tree_.lowest_in(hull(tree_.boxes()[index(place)], eye_), place);
  }
  std::vector<std::int32_t> cycle(std::span<const std::int32_t> path) const;

  Box eye_;
  BoxTree tree_;
  std::vector<std::int32_t> place_of_;  // of each box, in the tree
};

}  // namespace sortlast
