// Patterns: the workloads of Navaridas et al., "Reducing Complexity in Tree-like Computer Interconnection
// Networks", section 3.3, and the usual synthetic ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sortlast/simulate/traffic.hpp"

namespace sortlast::simulate {

// With N ranks and messages of `size` bytes:
//   "2W" "3W"  wave-front over a square or cube of ranks, there and back
//   "2M" "3M"  exchange with all neighbours in a square or cube
//   "BU"       butterfly: exchange at distance 1, 2, 4, .. N/2
//   "BT"       binary tree to rank 0
//   "WF"       waterfall: `size` bytes flow through a square in messages of 8 * 2^(log10 size) bytes
// Squares need N = s^2, cubes N = s^3, BU and BT a power of two. Throws ArgumentError: an unknown name (the
// message lists them), ranks that do not fit, a size below 1.
Traffic pattern(std::string_view name, std::int32_t ranks, std::int64_t size);

struct PatternEntry {
  std::string name;
  std::string summary;  // one sentence
};
const std::vector<PatternEntry>& patterns();

// Every rank sends to rank + 1, rank + 2, ... in this order; nobody waits.
Traffic all_to_all(std::int32_t ranks, std::int64_t size);
// The stages s of [first, last), 1 <= s < ranks: i sends to (i + s) mod ranks, and goes on to the next stage
// when it has received its message of this one. Throws ArgumentError for other stages.
Traffic shift(std::int32_t ranks, std::int64_t size, std::int32_t first, std::int32_t last);
// Every rank sends `messages` to others drawn uniformly; nobody waits.
Traffic uniform(std::int32_t ranks, std::int64_t size, std::int32_t messages, std::uint64_t seed);

}  // namespace sortlast::simulate
