// Coverage: where in the image all ranks together have drawn.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sortlast/execute/mpi/agreement.hpp"
#include "sortlast/tile.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

// Active pixels in each band of the image's rows, all bands as high as each other.
using Coverage = std::array<std::uint64_t, 16>;

// Of one image: `active` is the share of active pixels inside the rectangle (none: in the image).
Coverage coverage_of(const std::optional<Rectangle>& bounds, Size size, double active);

// By how much the one of p contiguous pieces of the image that holds most active pixels passes their mean: 1
// or more, and 1 if there are none.
double unevenness_of(const Coverage& all, std::int32_t p);

// As compare_by_reduction(), in the same reduction as the sum of all ranks' coverage; `least` and
// `coverage` go in as this rank's and come out as those of all. All ranks have to compare in this way,
// whatever their call.
Compare compare_with_coverage(const Communicator& comm, const Alarm& alarm, std::string call,
                                std::uint64_t& least, Coverage& coverage);

}  // namespace sortlast
