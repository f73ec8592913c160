// Visibility orders of boxes that have to be split, or overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "box_scenes.hpp"
#include "execute/box_orders.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::apart;
using testing::Boxes;
using testing::can_cover;
using testing::expect_front_to_back;
using testing::is_empty;
using testing::no_data;
using testing::Random;
using testing::random_beams;
using testing::random_view;
using Numbers = std::vector<std::int32_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double volume(const Box& box) {
  double product = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) product *= box.high[axis] - box.low[axis];
  return product;
}

bool overlap(const Box& a, const Box& b) { return !apart(a, b, 0) && !apart(a, b, 1) && !apart(a, b, 2); }

Boxes boxes_of(const std::vector<BoxPart>& parts) {
  Boxes boxes;
  for (const BoxPart& part : parts) boxes.push_back(part.box);
  return boxes;
}

// Disjoint, each inside its source.
void expect_parts_of(const std::vector<BoxPart>& parts, const Boxes& boxes) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_empty(parts[i].box)) continue;
    const Box& source = boxes[static_cast<std::size_t>(parts[i].source)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      ASSERT_GE(parts[i].box.low[axis], source.low[axis]);
      ASSERT_LE(parts[i].box.high[axis], source.high[axis]);
      ASSERT_LT(parts[i].box.low[axis], parts[i].box.high[axis]);
    }
    for (std::size_t j = 0; j < i; ++j) ASSERT_FALSE(overlap(parts[i].box, parts[j].box));
  }
}

std::size_t parts_of(const Boxes& boxes, const Viewpoint& view) {
  return visibility_order_of_parts(boxes, view).size();
}

// Whether boxes have an order; of at most a few dozen.
bool has_order(const Boxes& boxes, const Viewpoint& view) {
  std::vector<bool> placed(boxes.size(), false);
  for (std::size_t count = 0; count < boxes.size(); ++count) {
    std::size_t next = 0;
    const auto waits = [&](std::size_t b) {
      for (std::size_t a = 0; a < boxes.size(); ++a)
        if (a != b && !placed[a] && can_cover(boxes[a], boxes[b], view)) return true;
      return false;
    };
    while (next < boxes.size() && (placed[next] || waits(next))) ++next;
    if (next == boxes.size()) return false;
    placed[next] = true;
  }
  return true;
}

// Whether at most `cuts` cuts of boxes with corners at whole numbers make an order: all of them are tried, at
// every half from -8 to 24 too, which is more planes than faces have.
bool can_be_cut(const Boxes& boxes, const Viewpoint& view, int cuts) {
  if (has_order(boxes, view)) return true;
  if (cuts == 0) return false;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<double> places;
      for (int step = 1; boxes[i].low[axis] + 0.5 * step < boxes[i].high[axis]; ++step)
        places.push_back(boxes[i].low[axis] + 0.5 * step);
      if (!view.parallel && boxes[i].low[axis] < view.position[axis] &&
          view.position[axis] < boxes[i].high[axis])
        places.push_back(view.position[axis]);
      for (const double place : places) {
        Boxes cut = boxes;
        cut.push_back(boxes[i]);
        cut[i].high[axis] = cut.back().low[axis] = place;
        if (can_be_cut(cut, view, cuts - 1)) return true;
      }
    }
  }
  return false;
}

Boxes cyclic_beams() { return {{{0, 0, 1}, {3, 1, 2}}, {{1, 0, 0}, {2, 3, 1}}, {{0, 1, 0}, {1, 2, 3}}}; }

TEST(VisibilityParts, ACycleIsCutOnce) {
  const Viewpoint view{{10, 10, 10}, false};
  EXPECT_THROW(visibility_order(cyclic_beams(), view), ArgumentError);
  const std::vector<BoxPart> parts = visibility_order_of_parts(cyclic_beams(), view);
  EXPECT_EQ(parts.size(), 4U);
  expect_parts_of(parts, cyclic_beams());
  expect_front_to_back(boxes_of(parts), view);
}

TEST(VisibilityParts, FewestOfSmallScenesByBruteForce) {
  Random random(14);
  std::map<int, int> scenes;  // by the fewest cuts
  for (int repeat = 0; repeat < 4000 && scenes[1] + scenes[2] < 60; ++repeat) {
    const Boxes boxes = random_beams(4 + static_cast<int>(random() % 12), random);
    Viewpoint view = random_view(boxes, true, random);
    if (has_order(boxes, view)) {
      ASSERT_EQ(parts_of(boxes, view), boxes.size());
      continue;
    }
    const std::vector<BoxPart> parts = visibility_order_of_parts(boxes, view);
    const int cuts = static_cast<int>(parts.size() - boxes.size());
    ASSERT_GE(cuts, 1);
    ++scenes[cuts];
    EXPECT_FALSE(can_be_cut(boxes, view, std::min(cuts - 1, 1))) << cuts << " cuts, fewer are enough";
    EXPECT_TRUE(cuts > 1 || can_be_cut(boxes, view, 1));
    expect_parts_of(parts, boxes);
    expect_front_to_back(boxes_of(parts), view);
    if (HasFailure()) return;
  }
  EXPECT_GT(scenes[1], 40);
}

// Two cycles far from each other are cut once each; two that share boxes too where one cut does both.
TEST(VisibilityParts, CyclesAddUp) {
  Boxes boxes;
  for (int i = 0; i < 50; ++i) {
    for (Box box : cyclic_beams()) {
      box.low[0] += 10 * i;
      box.high[0] += 10 * i;
      boxes.push_back(box);
    }
  }
  const Viewpoint view{{1, 1, 1}, true};
  const Viewpoint back{{-1, -1, -1}, true};
  EXPECT_EQ(parts_of(boxes, view), 200U);
  EXPECT_EQ(parts_of(boxes, back), 200U);
}

// Sums of volumes, by cells: corners lie at whole numbers.
TEST(VisibilityParts, WithOverlapsHoldEachPlaceOnceAndTheFinestHasIt) {
  Random random(15);
  for (int repeat = 0; repeat < 150; ++repeat) {
    Boxes boxes;
    for (int i = 0; i < 1 + static_cast<int>(random() % 12); ++i) {
      Box box;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = static_cast<double>(random() % 6);
        box.high[axis] = box.low[axis] + 1 + static_cast<double>(random() % 4);
      }
      boxes.push_back(box);
    }
    boxes.push_back(boxes[random() % boxes.size()]);
    const Viewpoint view = random_view(boxes, true, random);
    const std::vector<BoxPart> parts = visibility_order_of_parts(boxes, view);
    expect_parts_of(parts, boxes);
    expect_front_to_back(boxes_of(parts), view);
    for (int cell = 0; cell < 1000; ++cell) {
      const int layer = cell / 100;
      const int row = cell / 10 % 10;
      const std::array<double, 3> point{cell % 10 + 0.5, row + 0.5, layer + 0.5};
      const auto holds = [&](const Box& box) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (point[axis] < box.low[axis] || box.high[axis] < point[axis]) return false;
        return true;
      };
      std::int32_t finest = -1;
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (holds(boxes[i]) &&
            (finest < 0 || volume(boxes[i]) < volume(boxes[static_cast<std::size_t>(finest)])))
          finest = static_cast<std::int32_t>(i);
      }
      Numbers owners;
      for (const BoxPart& part : parts)
        if (holds(part.box)) owners.push_back(part.source);
      ASSERT_EQ(owners, finest < 0 ? Numbers{} : Numbers{finest});
    }
  }
}

// A corner, an edge, a beam through, a hole: as many parts as faces of the small box lie inside the large
// one.
TEST(VisibilityParts, AnOverlapLeavesAsFewPartsAsFacesAreInside) {
  const Box large{{0, 0, 0}, {9, 9, 9}};
  const Viewpoint view{{20, 21, 22}, false};
  EXPECT_EQ(parts_of({large, {{5, 5, 5}, {9, 9, 9}}}, view), 1U + 3U);
  EXPECT_EQ(parts_of({large, {{5, 5, 0}, {9, 9, 9}}}, view), 1U + 2U);
  EXPECT_EQ(parts_of({large, {{4, 4, 0}, {5, 5, 9}}}, view), 1U + 4U);
  EXPECT_EQ(parts_of({large, {{4, 4, 4}, {5, 5, 5}}}, view), 1U + 6U);
  EXPECT_EQ(parts_of({large, {{0, 0, 0}, {9, 9, 4}}}, view), 1U + 1U);
  EXPECT_EQ(parts_of({large, large}, view), 1U);
  EXPECT_EQ(parts_of({large, {{0, 0, 4}, {9, 9, 4}}}, view), 1U + 2U);  // flat
}

// Patches of three levels, each over coarser ones that hold data below it too, from 100 views.
TEST(VisibilityParts, OverlappingLevelsFrom100Views) {
  Random random(16);
  Boxes boxes = testing::grid(8, random);
  for (int level = 1; level <= 2; ++level) {
    for (int patch = 0; patch < 6 * level; ++patch) {
      const double cell = level == 1 ? 0.25 : 0.0625;
      Box box;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] = cell * static_cast<double>(random() % (level == 1 ? 6 : 28));
        box.high[axis] = box.low[axis] + cell * static_cast<double>(1 + random() % 3);
      }
      boxes.push_back(box);
    }
  }
  for (int views = 0; views < 100; ++views) {
    const Viewpoint view = random_view(boxes, true, random);
    const std::vector<BoxPart> parts = visibility_order_of_parts(boxes, view);
    expect_parts_of(parts, boxes);
    expect_front_to_back(boxes_of(parts), view);
    if (HasFailure()) return;
  }
}

TEST(VisibilityParts, ManyBoxesOnCyclesEnd) {
  Random random(17);
  Boxes boxes;
  while (boxes.size() < 300) {
    Box box;
    const std::size_t along = random() % 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = static_cast<double>(random() % 20);
      box.high[axis] = box.low[axis] + (axis == along ? 10 : 1);
    }
    if (std::none_of(boxes.begin(), boxes.end(), [&](const Box& other) { return overlap(box, other); }))
      boxes.push_back(box);
  }
  for (int views = 0; views < 10; ++views) {
    const Viewpoint view = random_view(boxes, true, random);
    const std::vector<BoxPart> parts = visibility_order_of_parts(boxes, view);
    expect_parts_of(parts, boxes);
    expect_front_to_back(boxes_of(parts), view);
    double sum = 0;
    for (const BoxPart& part : parts) sum += volume(part.box);
    EXPECT_NEAR(sum, 3000, 1e-6);
    RecordProperty("parts", static_cast<int>(parts.size()));
  }
}

TEST(VisibilityParts, EmptyBoxesAndErrors) {
  const std::vector<BoxPart> parts =
      visibility_order_of_parts(Boxes{no_data, {{0, 0, 0}, {1, 1, 1}}}, {{5, 5, 5}, false});
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].source, 1);
  EXPECT_EQ(parts[1].source, 0);
  EXPECT_TRUE(is_empty(parts[1].box));
  EXPECT_TRUE(visibility_order_of_parts({}, {{5, 5, 5}, false}).empty());
  EXPECT_THROW(visibility_order_of_parts(Boxes{{{0, 0, 0}, {1, nan, 1}}}, {{5, 5, 5}, false}), ArgumentError);
  EXPECT_THROW(visibility_order_of_parts(cyclic_beams(), {{0, 0, 0}, true}), ArgumentError);
}

}  // namespace
}  // namespace sortlast
