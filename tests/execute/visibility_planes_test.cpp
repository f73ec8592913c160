// Visibility orders along planes that divide the boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "box_scenes.hpp"
#include "execute/box_orders.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Boxes;
using testing::expect_front_to_back;
using testing::is_empty;
using testing::Random;
using testing::random_beams;
using testing::random_view;
using Numbers = std::vector<std::int32_t>;

// The right orders of a scene are those that keep the relation.
TEST(VisibilityPlanes, KeepTheRelationFrom100Views) {
  Random random(11);
  for (const auto scene :
       {testing::grid, testing::row, testing::kd_tree, testing::refined, testing::scattered, testing::dust,
        testing::mostly_empty, testing::crossed_beams}) {
    Boxes boxes = scene(1 + static_cast<int>(random() % 120), random);
    std::shuffle(boxes.begin(), boxes.end(), random);
    if (std::all_of(boxes.begin(), boxes.end(), is_empty)) continue;
    for (int views = 0; views < 100; ++views) {
      const Viewpoint view = random_view(boxes, true, random);
      const Numbers order = visibility_order(boxes, view, Ties::planes);
      ASSERT_EQ(std::set<std::int32_t>(order.begin(), order.end()).size(), boxes.size());
      Boxes sorted;
      for (const std::int32_t box : order) sorted.push_back(boxes[static_cast<std::size_t>(box)]);
      expect_front_to_back(sorted, view);
      if (HasFailure()) return;
    }
  }
}

// A cycle, or boxes that no plane divides, in between what planes divide; and the same errors.
TEST(VisibilityPlanes, RandomBeams) {
  Random random(12);
  int cycles = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    const Boxes boxes = random_beams(1 + static_cast<int>(random() % 60), random);
    const Viewpoint view = random_view(boxes, true, random);
    Numbers any;
    try {
      any = visibility_order(boxes, view);
    } catch (const ArgumentError&) {
      EXPECT_THROW(visibility_order(boxes, view, Ties::planes), ArgumentError);
      ++cycles;
      continue;
    }
    Boxes sorted;
    for (const std::int32_t box : visibility_order(boxes, view, Ties::planes))
      sorted.push_back(boxes[static_cast<std::size_t>(box)]);
    ASSERT_EQ(sorted.size(), any.size());
    expect_front_to_back(sorted, view);
  }
  EXPECT_GT(cycles, 20);
}

// The halves of a grid trade places as the eye moves; neither mixes with the other.
TEST(VisibilityPlanes, AreThoseOfAKdTree) {
  Random random(13);
  const Boxes boxes = testing::grid(512, random);
  for (int views = 0; views < 50; ++views) {
    const Numbers order = visibility_order(boxes, random_view(boxes, false, random), Ties::planes);
    for (std::size_t size = 256; size >= 8; size /= 2) {
      std::set<Numbers> halves;
      for (std::size_t first = 0; first < order.size(); first += size) {
        Numbers half(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(first + size));
        std::sort(half.begin(), half.end());
        halves.insert(half);
      }
      static std::map<std::size_t, std::set<Numbers>> first_view;
      EXPECT_EQ(first_view.try_emplace(size, halves).first->second, halves);
    }
  }
}

// A tree that peels one box off at every level would be p deep, and take p^2 steps.
TEST(VisibilityPlanes, ADeepTree) {
  Boxes boxes;
  Box rest{{0, 0, 0}, {1, 1, 1}};
  for (int i = 0; i < 3000; ++i) {
    const auto axis = static_cast<std::size_t>(i % 3);
    Box box = rest;
    box.high[axis] = rest.low[axis] = rest.low[axis] + (rest.high[axis] - rest.low[axis]) * 0.01;
    boxes.push_back(box);
  }
  boxes.push_back(rest);
  const Viewpoint view{{0.7, 0.8, 3}, false};
  Boxes sorted;
  for (const std::int32_t box : visibility_order(boxes, view, Ties::planes))
    sorted.push_back(boxes[static_cast<std::size_t>(box)]);
  expect_front_to_back(sorted, view);
}

}  // namespace
}  // namespace sortlast
