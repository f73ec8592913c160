// The default k vector of radix-k.
#pragma once

#include <cstdint>
#include <vector>

namespace sortlast {

// Factors of p, in order of rounds: as many of up to 8 as p has, large ones first; a prime factor above
// 8 is a round of its own. Empty for p = 1.
std::vector<std::int64_t> default_radices(std::int64_t p);

}  // namespace sortlast
