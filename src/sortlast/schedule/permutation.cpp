// Permutations of ranks.
#include "sortlast/schedule/permutation.hpp"

#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

void check_permutation(const std::vector<std::int32_t>& ranks, std::int32_t p, std::string_view what) {
  if (ranks.empty()) return;
  const std::string name(what);
  if (ranks.size() != static_cast<std::size_t>(p)) {
    throw ArgumentError(name + " lists " + std::to_string(ranks.size()) + " ranks; expected each of 0.." +
                        std::to_string(p - 1) + " once");
  }
  std::vector<bool> seen(static_cast<std::size_t>(p), false);
  for (const std::int32_t rank : ranks) {
    if (rank < 0 || rank >= p) {
      throw ArgumentError(name + " lists rank " + std::to_string(rank) + "; expected each of 0.." +
                          std::to_string(p - 1) + " once");
    }
    if (seen[static_cast<std::size_t>(rank)]) {
      throw ArgumentError(name + " lists rank " + std::to_string(rank) + " twice; expected each of 0.." +
                          std::to_string(p - 1) + " once");
    }
    seen[static_cast<std::size_t>(rank)] = true;
  }
}

std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& permutation) {
  std::vector<std::int32_t> result(permutation.size());
  for (std::size_t index = 0; index < permutation.size(); ++index) {
    result[static_cast<std::size_t>(permutation[index])] = static_cast<std::int32_t>(index);
  }
  return result;
}

}  // namespace sortlast
