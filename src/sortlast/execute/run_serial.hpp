// The serial executor with all that an execution over MPI may ask for.
#pragma once

#include <cstdint>
#include <span>

#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {

// As execute_serial(), where pixels of other nodes travel as `wire` says, and the schedule's pixels lie in
// the images as `interleaving`, made for as many, says.
Frame execute_serial(const Schedule& schedule, std::span<const ConstPixels> images, Size size,
                     const Format& format, Op op, std::uint32_t seed, const WireOptions& wire,
                     const Interleaving& interleaving = {});

}  // namespace sortlast
