// Traffic of a compositing schedule.
#pragma once

#include <cstdint>

#include "sortlast/schedule.hpp"
#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// Task i is rank i. Every send of pixels becomes a message of pixels times pixel_bytes that waits for the
// receives which its part needs, directly or through merges, and goes as soon as they are there. Blending
// takes no time. Throws ArgumentError if pixel_bytes is below 1.
Traffic schedule_traffic(const Schedule& schedule, std::int64_t pixel_bytes);

}  // namespace sortlast::simulate
