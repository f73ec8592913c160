// Ordered lists: each pixel's fragments by depth, those of equal depth as they are listed.
#pragma once

#include <cstddef>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment_string.hpp"

namespace sortlast {

// Memory for lists, taken as Bytes take it.
struct ListRoom {
  explicit ListRoom(const Bytes::Take& take = {}) : colour(take), depth(take), further(take) {}

  std::vector<CountRun> runs;
  Bytes colour;
  Bytes depth;
  Bytes further;
};

// Whether each list is in order. Says no if a depth is NaN.
bool in_order(const FragmentLists& lists);

// The places of the `count` fragments from `first` on, in order; written to `order`.
void sort_pixel(const FragmentLists& lists, std::size_t first, std::size_t count,
                std::vector<std::size_t>& order);

// Lists of one rank in order: where they lie, if they are, else in the room. The room may hold their runs.
FragmentLists put_in_order(const FragmentLists& lists, ListRoom& room);

}  // namespace sortlast
