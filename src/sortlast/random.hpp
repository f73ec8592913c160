// SplitMix64: random numbers that a seed fixes, the same on every platform and with every standard library.
#pragma once

#include <cstdint>

namespace sortlast {

// Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

}  // namespace sortlast
