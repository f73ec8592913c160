// BoxCosts: what images of boxes are predicted to take until their frame is whole at one rank, in the two
// ways in which messages can bring it there.
#pragma once

#include <cstdint>
#include <span>

#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/image.hpp"
#include "sortlast/machine.hpp"

namespace sortlast {

// Where the ranks are.
struct BoxPlaces {
  std::int32_t p = 1;
  std::int32_t root = 0;
  // All ranks are on one machine and use these cores together; 0: each is on a machine of its own.
  std::int32_t shared_cores = 0;
};

// Seconds.
struct BoxCosts {
  double pieces = 0;     // every rank finishes a piece, and the pieces are gathered
  double collected = 0;  // the root receives all images as they are, and finishes the frame
};

// `sent`: of each rank the bytes of its images, or fewer if their empty pixels can be left out, which images
// that are collected do not. Depends on the arguments alone, so that ranks agree if they do.
BoxCosts box_costs(const BoxTable& table, const Format& format, std::span<const std::uint64_t> sent,
                   const BoxPlaces& places, const Machine& machine);

}  // namespace sortlast
