// Serial layers: all ranks of a schedule at work on contents of varying size, in one thread and without MPI.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/layer_run.hpp"

namespace sortlast {

struct LayerFrame {
  PixelBuffer pixels;               // of the whole image
  std::vector<LayerString> joined;  // pixel by pixel in order, if the contents keep them
};

// Run a schedule made with `commutes` on one content a rank. `seed` draws the order in which ranks take turns
// and messages arrive, which must not change a bit. `block` as of LayerRun. Throws ArgumentError for a
// schedule whose operator does not commute or a wrong number of contents, Error if a rank would wait for
// ever.
LayerFrame execute_layers_serial(const Schedule& schedule, std::span<const LayerContent* const> contents,
                                 const Format& format, std::uint32_t seed, std::int64_t block);

}  // namespace sortlast
