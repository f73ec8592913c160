// Random orders that a seed fixes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sortlast/random.hpp"

namespace sortlast::fabric {

class Random {
 public:
  explicit Random(std::uint64_t seed) : next_(seed) {}
  // A stream of its own for part `stream` of a job.
  Random(std::uint64_t seed, std::uint64_t stream) : next_(SplitMix64(SplitMix64(seed)() + stream)()) {}

  std::uint64_t operator()() { return next_(); }

  // A number in [0, n), n > 0. Its bias is below n / 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next_() % n); }

 private:
  SplitMix64 next_;
};

// Fisher and Yates: every order equally likely.
template <typename T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace sortlast::fabric
