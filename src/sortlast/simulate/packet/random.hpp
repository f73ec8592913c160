// The random numbers of a simulation.
#pragma once

#include <cstdint>

#include "sortlast/random.hpp"

namespace sortlast::simulate {

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

  // Uniform in (0, 1].
  double unit() { return (static_cast<double>(next_() >> 11) + 1) * 0x1p-53; }

 private:
  SplitMix64 next_;
};

}  // namespace sortlast::simulate
