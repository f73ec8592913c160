// Permutations of ranks; an empty vector stands for the identity.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace sortlast {

// Throws ArgumentError unless `ranks` is empty or lists each of 0..p-1 once; `what` names it in the message.
void check_permutation(const std::vector<std::int32_t>& ranks, std::int32_t p, std::string_view what);

std::vector<std::int32_t> inverse(const std::vector<std::int32_t>& permutation);

inline std::int32_t at(const std::vector<std::int32_t>& permutation, std::int64_t index) {
  return permutation.empty() ? static_cast<std::int32_t>(index)
                             : permutation[static_cast<std::size_t>(index)];
}

}  // namespace sortlast
