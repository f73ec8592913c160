// The algorithm that a two-level schedule runs between nodes.
#pragma once

#include <string>

#include "sortlast/registry.hpp"

namespace sortlast {

// What follows the colon of "two-level:NAME", taken apart; direct-send if nothing does. Throws ArgumentError.
AlgorithmName inner_algorithm(const std::string& parameters);

}  // namespace sortlast
