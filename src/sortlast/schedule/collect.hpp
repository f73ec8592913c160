// Collect: a schedule in which every rank sends its whole image to one rank, which merges them all.
//
// It moves n (p-1) pixels to one rank, while direct-send moves n (p-1)/p to each rank and leaves the tiles to
// be gathered. It is cheaper if images are far smaller than a frame that must be complete on one rank.
#pragma once

#include <cstdint>

#include "sortlast/schedule.hpp"

namespace sortlast {

// Throws ArgumentError: an invalid setting or root.
Schedule collect_schedule(Setting setting, std::int32_t root);

}  // namespace sortlast
