// Merge plan: in which order, and in how many chains, fragments of the same pixels are joined.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule/schedule.hpp"

namespace sortlast {

// A fragment that will be there: its value and the depth range that it holds.
struct Arrival {
  Value value = 0;
  Range depth;
};

// Append to `program` the merges that turn `arrivals` (in the order in which they are expected) into the
// part `pixels` of `target`, and the values that they need in between. `circle` is p if depth positions
// are counted round a circle (operators that commute), else 0. The arrivals' depth ranges must tile one
// range. O(k log k) for k arrivals.
void plan_merges(Program& program, Value target, Range pixels, const std::vector<Arrival>& arrivals,
                 std::int64_t circle);

}  // namespace sortlast
