// Between: values that connect two merges and are used nowhere else.
//
// An executor that has all inputs of both merges computes such a value in a cache, as part of one pass over
// memory. Predictions charge nothing for it.
#pragma once

#include <cstddef>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// For a value that one merge makes completely, and that one other merge reads once, at the same pixels:
// indices into the program's lists. For any other value: none.
struct Between {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t maker = none;
  std::size_t reader = none;
  std::size_t input = none;  // index among the reader's inputs
};

// Indexed by value. O(steps of the program).
std::vector<Between> values_between(const Program& program);

}  // namespace sortlast
