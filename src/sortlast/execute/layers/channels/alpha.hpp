// Alpha: the alphas of stored pixels as float32, whatever they are stored as.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/execute/layers/channels/layout.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// Of n pixels of RGBA whose colours are stored as `scalar`.
std::vector<float> alphas_of(Scalar scalar, const std::byte* colour, std::int64_t n);

}  // namespace sortlast
