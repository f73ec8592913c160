// Parts: boxes, and the parts into which they are split if they overlap or cover each other in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/visibility/cover.hpp"

namespace sortlast {

struct Part {
  Box box;              // to be rendered
  Box inner;            // the same, shrunk by the tolerance on the original faces of the whole box
  std::int32_t source;  // number of the whole box
};

// The part below and the part above. Requires `position` inside `inner`.
std::pair<Part, Part> cut(const Part& part, std::size_t axis, double position);

std::vector<Box> inner_boxes(std::span<const Part> parts);

// Parts of `part` that together cover everything that the others leave of it, and meet none of them: cut by
// planes of the others' faces, beginning with the plane that crosses the fewest of them.
std::vector<Part> without(const Part& part, std::span<const Part> others);

// Cut boxes that all lie on cycles with each other, at least once, so that fewer do. Exact in these cases: if
// one cut leaves no cycle and there are at most 32 boxes, there is one cut; if two or more are needed, and
// there are few enough ways to make that number of cuts (10^7 pairs of boxes to check), their number is the
// minimum. Otherwise this is the cut that leaves the fewest boxes on cycles or, for more than 32 boxes, the
// plane that crosses few boxes and has many on both sides. Returns nothing if no plane along a face can cut.
std::vector<Part> cut_cycle(std::vector<Part> parts, const Box& eye);

}  // namespace sortlast
