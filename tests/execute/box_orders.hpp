// What the tests of visibility orders share: that an order is right, and a box without data.
#pragma once

#include <gtest/gtest.h>

#include "box_scenes.hpp"

namespace sortlast::testing {

constexpr Box no_data{{1, 1, 1}, {-1, -1, -1}};

// No box may cover one before it.
inline void expect_front_to_back(const Boxes& boxes, const Viewpoint& view) {
  for (std::size_t back = 0; back < boxes.size(); ++back) {
    for (std::size_t front = 0; front < back && !is_empty(boxes[back]); ++front)
      ASSERT_FALSE(can_cover(boxes[back], boxes[front], view)) << front << " comes before " << back;
  }
}

}  // namespace sortlast::testing
