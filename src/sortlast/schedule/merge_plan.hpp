// Merge plan: in which order, and in how many chains, fragments of the same pixels are joined.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule.hpp"

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

// The members of `range`, `centre` first, then by distance from it, to either side in turn: the order in
// which a rank that sits at `centre` expects its neighbours in depth, so that one chain joins them all.
std::vector<std::int64_t> nearest_first(Range range, std::int64_t centre);

}  // namespace sortlast
