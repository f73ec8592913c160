// The serial executor: runs a schedule in one thread without MPI, and the plain composite that it is compared
// with.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/tile.hpp"

namespace sortlast {

// The oracle: images[r] (null colour: rank r has none) joined from front to back in the order of `order`
// (empty: 0, 1, ...), in float32, rounded once, and a second time after the background. All images have
// `size` and `format`; `background` is empty or has format.channels values. Throws ArgumentError.
SORTLAST_API Frame composite_serial(std::span<const ConstPixels> images, Size size, const Format& format,
                                    Op op, const std::vector<std::int32_t>& order = {},
                                    std::span<const float> background = {});

// The oracle for several images per rank: all images joined from front to back by position, each within its
// box, as above. Throws ArgumentError, also for a repeated position.
SORTLAST_API Frame composite_serial(std::span<const BoxImage> images, Size size, const Format& format, Op op,
                                    std::span<const float> background = {});

// Run every rank's program in one thread and return the whole image. `seed` selects the order in which
// messages arrive and ranks work; it never changes a bit of the result. `images` is as above, one per rank.
// Ranks of one node (in the schedule's setting) read each other's images.
SORTLAST_API Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                                  const Format& format, Op op, std::uint32_t seed = 0);

}  // namespace sortlast
