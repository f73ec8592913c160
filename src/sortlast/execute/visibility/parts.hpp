// Parts: boxes and the parts into which they are split, where they overlap or cover each other in a cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sortlast/execute/visibility/cover.hpp"

namespace sortlast {

struct Part {
  Box box;              // what is to be rendered
  Box inner;            // the same, smaller by the tolerance on the faces that are the whole box's own
  std::int32_t source;  // number of the whole box
};

// The part below and the part above. Requires `position` inside `inner`.
std::pair<Part, Part> cut(const Part& part, std::size_t axis, double position);

std::vector<Box> inner_boxes(std::span<const Part> parts);

// Parts of `part`, none of which meets one of `others`, that together hold all of it that the others do not:
// cut by planes of their faces, by that which crosses the fewest of them first.
std::vector<Part> without(const Part& part, std::span<const Part> others);

// Cut boxes that all lie on cycles with each other, at least once, so that fewer do. Exact: if one cut leaves
// no cycle and there are at most 32 boxes, it is one cut; if two or more are needed and all ways to cut that
// often are few enough to be tried (10^7 pairs of boxes to look at), it is the fewest. Else it is the cut
// that leaves the fewest boxes on cycles, or, of more than 32 boxes, the plane that crosses few and has many
// on both sides. Returns nothing if no plane of a face can be cut along.
std::vector<Part> cut_cycle(std::vector<Part> parts, const Box& eye);

}  // namespace sortlast
