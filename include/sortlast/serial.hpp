// The serial executor: a schedule run in one thread without MPI, and the plain composite it is checked by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/tile.hpp"

namespace sortlast {

// The oracle: images[r] (colour null: rank r has none) composited one after the other from front to back
// as `order` lists them (empty: 0, 1, ...), in float32, rounded once (and once more behind a
// background). All have `size` and `format`;
// `background` is empty or has format.channels values. Throws ArgumentError.
SORTLAST_API Frame composite_serial(std::span<const ConstPixels> images, Size size, const Format& format,
                                    Op op, const std::vector<std::int32_t>& order = {},
                                    std::span<const float> background = {});

// The oracle of several images a rank: all of them, composited front to back by their positions, each within
// its box, as above. Throws ArgumentError, also for a position that two share.
SORTLAST_API Frame composite_serial(std::span<const BoxImage> images, Size size, const Format& format, Op op,
                                    std::span<const float> background = {});

// Run every rank's program in turn and return the whole image. `seed` chooses in which order messages
// arrive and ranks get to work; it never changes a bit of the result. images as above, one a rank.
// Ranks of one node (of the schedule's setting) read each other's images.
SORTLAST_API Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                                  const Format& format, Op op, std::uint32_t seed = 0);

}  // namespace sortlast
