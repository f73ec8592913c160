// Random numbers and permutations determined by a seed: the same on every platform and standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sortlast {

// SplitMix64, after Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  // An independent stream for part `stream` of a job.
  SplitMix64(std::uint64_t seed, std::uint64_t stream) : state_(SplitMix64(SplitMix64(seed)() + stream)()) {}

  std::uint64_t operator()() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15U);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }

  // A number in [0, n), n > 0, with a bias below n / 2^64.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>((*this)() % n); }

 private:
  std::uint64_t state_;
};

// Fisher-Yates shuffle: every order is equally likely.
template <typename T>
void shuffle(std::vector<T>& values, SplitMix64& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace sortlast
