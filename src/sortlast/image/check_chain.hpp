// Checks of blend()'s arguments, shared with the reference.
#pragma once

#include "sortlast/image/blend.hpp"

namespace sortlast {

// Throws ArgumentError if the chain is empty, n is negative, the operator does not suit the format, or
// a plane is missing.
void check_chain(Op op, int channels, bool depth, std::span<const Link> chain, Pixels out, Scalar out_scalar,
                 std::int64_t n);

}  // namespace sortlast
