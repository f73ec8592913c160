// Between: values that lie between two merges and go nowhere else.
//
// An executor that has all that both need makes such a value on the way of one pass over memory, in a cache,
// and a prediction charges nothing for it.
#pragma once

#include <cstddef>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

// Of a value that one merge makes whole, and that one other merge reads once, at the same pixels: places in
// the program's lists. Of any other value: none.
struct Between {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t maker = none;
  std::size_t reader = none;
  std::size_t input = none;  // of the reader
};

// By value. O(steps of the program).
std::vector<Between> values_between(const Program& program);

}  // namespace sortlast
