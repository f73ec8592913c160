// Collect: a schedule in which every rank sends its whole image to one rank, which merges them all.
//
// It moves n (p-1) pixels to one rank, where direct-send brings n (p-1)/p to each and leaves the tiles to be
// gathered. It is the cheaper one where images are far smaller than the frame that has to be whole at a rank.
#pragma once

#include <cstdint>

#include "sortlast/schedule.hpp"

namespace sortlast {

// Throws ArgumentError: a wrong setting, a root that is no rank.
Schedule collect_schedule(Setting setting, std::int32_t root);

}  // namespace sortlast
