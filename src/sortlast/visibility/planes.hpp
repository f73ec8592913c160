// Planes: recursive division of boxes by planes that cross no box, front to back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast {

// Called with the sets that no plane divides, front to back; boxes are identified by number.
using TakeSet = std::function<void(std::span<const std::int32_t> boxes)>;

// Divide the boxes with the given numbers; they are shrunk by their tolerance (see cover.hpp). Among the
// planes that cross no box, take the one that divides the boxes most evenly, and put the eye's side first:
// this is a k-d tree with halves that swap as the eye moves, while their contents stay the same. Where the
// tree would become much deeper than log2 of the number of boxes, it is not divided further. Time O(p log p),
// memory 100 bytes per box.
void divide_by_planes(std::span<const Box> boxes, std::span<const std::int32_t> chosen, const Box& eye,
                      const TakeSet& take);

// A plane across an axis with boxes on both sides, and the number of boxes it crosses.
struct CrossingPlane {
  std::size_t axis = 0;
  double position = 0;
  std::size_t crossed = 0;
  bool found = false;
};

// The face of a box that crosses the fewest boxes relative to the number of boxes on its smaller side; it
// crosses at least one. Time O(p log p).
CrossingPlane sparsest_plane(std::span<const Box> boxes);

}  // namespace sortlast
