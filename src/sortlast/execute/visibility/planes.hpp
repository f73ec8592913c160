// Planes: sets of boxes divided again and again by planes that no box crosses, front to back.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast {

// Called with the sets that no plane divides, front to back; boxes by number.
using TakeSet = std::function<void(std::span<const std::int32_t> boxes)>;

// Divide the boxes with the given numbers, smaller by their tolerance (see cover.hpp). Of the planes that no
// box crosses the one is taken that leaves sides as equal as may be, and the eye's side comes first: a k-d
// tree, whose two halves trade places as the eye moves, while neither changes what is in it. A tree that
// would be much deeper than log2 of the number of boxes is left undivided below. Time O(p log p), 100 bytes a
// box.
void divide_by_planes(std::span<const Box> boxes, std::span<const std::int32_t> chosen, const Box& eye,
                      const TakeSet& take);

// A plane across an axis that has boxes on both sides, and how many it crosses.
struct CrossingPlane {
  std::size_t axis = 0;
  double position = 0;
  std::size_t crossed = 0;
  bool found = false;
};

// The face of a box that crosses the fewest boxes for the number of boxes on its smaller side; it crosses one
// at least. Time O(p log p).
CrossingPlane sparsest_plane(std::span<const Box> boxes);

}  // namespace sortlast
