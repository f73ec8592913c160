// The random numbers of a simulation.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sortlast/random.hpp"

namespace sortlast::simulate {

// Streams of a seed, used by SplitMix64, for draws outside the engine.
constexpr std::uint64_t stream_of_destinations = 1, stream_of_background = 2, stream_of_loads = 3;

// Cycles until the next event, if events have probability `chance` > 0 in each cycle; at least 1.
inline std::int64_t draw_wait(SplitMix64& random, double chance) {
  const double uniform = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;  // inside (0, 1)
  return 1 + static_cast<std::int64_t>(std::min(std::log(uniform) / std::log1p(-chance), 0x1p40));
}

// The random numbers of an engine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : next_(seed) {}

  // Uniform in [0, bound), without bias (Lemire 2019); bound is 1 or more.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next_() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t least = (0u - bound) % bound;
      while (static_cast<std::uint32_t>(product) < least) product = (next_() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  SplitMix64 next_;
};

}  // namespace sortlast::simulate
