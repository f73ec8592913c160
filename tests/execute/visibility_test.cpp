// Visibility order of all boxes at once, against the relation between pairs that it has to keep.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <queue>
#include <sstream>

#include "box_scenes.hpp"
#include "execute/box_orders.hpp"
#include "sortlast/error.hpp"

namespace sortlast {
namespace {

using testing::Boxes;
using testing::can_cover;
using testing::is_empty;
using testing::no_data;
using testing::Random;
using testing::random_beams;
using testing::random_view;
using testing::uniform;
using Ranks = std::vector<std::int32_t>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The order from all pairs: the lowest rank that no unplaced one can cover, again and again. Ranks on cycles,
// and behind them, are left out.
Ranks pairwise_order(const Boxes& boxes, const Viewpoint& view) {
  const std::size_t p = boxes.size();
  std::vector<Ranks> covers(p);
  std::vector<int> waits_for(p, 0);
  std::priority_queue<std::int32_t, Ranks, std::greater<>> free;
  Ranks order;
  Ranks empty;
  for (std::size_t b = 0; b < p; ++b) {
    for (std::size_t a = 0; a < p; ++a) {
      if (a == b || is_empty(boxes[a]) || is_empty(boxes[b]) || !can_cover(boxes[a], boxes[b], view))
        continue;
      covers[a].push_back(static_cast<std::int32_t>(b));
      ++waits_for[b];
    }
    if (is_empty(boxes[b])) {
      empty.push_back(static_cast<std::int32_t>(b));
    } else if (waits_for[b] == 0) {
      free.push(static_cast<std::int32_t>(b));
    }
  }
  while (!free.empty()) {
    order.push_back(free.top());
    free.pop();
    for (const std::int32_t back : covers[static_cast<std::size_t>(order.back())]) {
      if (--waits_for[static_cast<std::size_t>(back)] == 0) free.push(back);
    }
  }
  order.insert(order.end(), empty.begin(), empty.end());
  return order;
}

std::string error_of(const Boxes& boxes, const Viewpoint& view) {
  try {
    visibility_order(boxes, view);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

// The ranks of "rank 2 covers 1 covers 0 covers 2; split ...".
Ranks ranks_of_cycle(const std::string& text) {
  const std::string begin = "the boxes have no front-to-back order: rank ";
  EXPECT_EQ(text.substr(0, begin.size()), begin);
  std::istringstream words(text.substr(std::min(text.size(), begin.size())));
  Ranks ranks;
  std::int32_t rank = 0;
  for (std::string word; words >> rank; words >> word) {
    ranks.push_back(rank);
    if (words.peek() == ';') break;
  }
  return ranks;
}

void expect_cycle(const std::string& text, const Boxes& boxes, const Viewpoint& view) {
  const Ranks ranks = ranks_of_cycle(text);
  ASSERT_GE(ranks.size(), 4U) << text;
  EXPECT_EQ(ranks.front(), ranks.back()) << text;
  for (std::size_t i = 0; i + 1 < ranks.size(); ++i) {
    EXPECT_TRUE(can_cover(boxes[static_cast<std::size_t>(ranks[i])],
                          boxes[static_cast<std::size_t>(ranks[i + 1])], view))
        << text;
  }
}

// Moves every face by less than half of what the boxes may overlap.
Boxes rounded(Boxes boxes, Random& random) {
  double extent = infinity;
  for (const Box& box : boxes) {
    for (std::size_t axis = 0; axis < 3 && !is_empty(box); ++axis) {
      extent = std::min(extent, box.high[axis] - box.low[axis]);
    }
  }
  for (Box& box : boxes) {
    for (std::size_t axis = 0; axis < 3 && !is_empty(box); ++axis) {
      box.low[axis] += uniform(random, -0.45e-6, 0.45e-6) * extent;
      box.high[axis] += uniform(random, -0.45e-6, 0.45e-6) * extent;
    }
  }
  return boxes;
}

struct Scene {
  const char* name;
  Boxes (*boxes)(int p, Random& random);
};

constexpr Scene scenes[] = {{"grid", testing::grid},
                            {"row", testing::row},
                            {"kd tree", testing::kd_tree},
                            {"refined", testing::refined},
                            {"scattered", testing::scattered},
                            {"dust", testing::dust},
                            {"mostly empty", testing::mostly_empty},
                            {"crossed beams", testing::crossed_beams},
                            {"random beams", random_beams}};

// Requires boxes that do not overlap. Returns whether they have an order.
bool expect_as_from_pairs(const Boxes& boxes, const Viewpoint& view) {
  const Ranks expected = pairwise_order(boxes, view);
  if (expected.size() == boxes.size()) {
    EXPECT_EQ(visibility_order(boxes, view), expected);
    return true;
  }
  expect_cycle(error_of(boxes, view), boxes, view);
  return false;
}

TEST(Visibility, IsTheOrderFromAllPairs) {
  Random random(2027);
  int cycles = 0;
  int scenes_seen = 0;
  for (int repeat = 0; repeat < 60; ++repeat) {
    for (const auto& [name, scene] : scenes) {
      SCOPED_TRACE(std::string(name) + ", repeat " + std::to_string(repeat));
      const int p = 1 + static_cast<int>(random() % (repeat % 10 == 0 ? 300 : 40));
      Boxes boxes = scene(p, random);
      if (repeat % 3 != 0) std::shuffle(boxes.begin(), boxes.end(), random);
      if (repeat % 7 == 0) boxes[random() % boxes.size()] = no_data;
      if (std::all_of(boxes.begin(), boxes.end(), is_empty)) continue;
      for (int views = 0; views < 6; ++views) {
        cycles += expect_as_from_pairs(boxes, random_view(boxes, true, random)) ? 0 : 1;
        const Boxes uneven = rounded(boxes, random);
        cycles += expect_as_from_pairs(uneven, random_view(uneven, false, random)) ? 0 : 1;
        scenes_seen += 2;
      }
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(scenes_seen, 5000);
  EXPECT_GT(cycles, 100);  // of random beams
}

TEST(Visibility, FlatBoxesThatLieTogetherDoNotCoverEachOther) {
  const Box flat{{0, 0, 1}, {1, 1, 1}};
  for (const double z : {-3.0, 1.0, 5.0}) {
    EXPECT_EQ(visibility_order(Boxes{flat, flat}, {{0.5, 0.5, z}, false}), (Ranks{0, 1}));
  }
  const Boxes between{{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 1}, {1, 1, 2}}, flat};
  EXPECT_EQ(visibility_order(between, {{0.5, 0.5, -3}, false}), (Ranks{0, 2, 1}));
  EXPECT_EQ(visibility_order(between, {{0, 0, -1}, true}), (Ranks{1, 2, 0}));
}

TEST(Visibility, AnEyeInAFaceThatIsBlurredByRounding) {
  const Boxes boxes{{{0, 0, 0}, {1 + 4e-7, 1, 1}}, {{1 - 4e-7, 0, 0}, {2, 1, 1}}, {{2, 0, 0}, {3, 1, 1}}};
  EXPECT_EQ(visibility_order(boxes, {{1, 0.5, 0.5}, false}), (Ranks{0, 1, 2}));
}

TEST(Visibility, OverlapNamesTheLowestPair) {
  const std::string expected = " overlap; expected boxes that share no more than a face. Clip cells";
  Random random(5);
  Boxes boxes = testing::grid(1000, random);
  boxes[800].high[0] += 0.5;
  boxes[400].low[1] -= 0.01;
  boxes[390] = no_data;
  EXPECT_TRUE(
      error_of(boxes, {{-5, -5, -5}, false}).starts_with("the boxes of ranks 800 and 801" + expected));
  boxes[390] = boxes[400];
  EXPECT_TRUE(
      error_of(boxes, {{-5, -5, -5}, false}).starts_with("the boxes of ranks 390 and 400" + expected));
  EXPECT_TRUE(error_of(Boxes(1000, boxes[0]), {{-5, -5, -5}, false})
                  .starts_with("the boxes of ranks 0 and 1" + expected));
}

// Three beams that lie across each other, between boxes in front and behind.
TEST(Visibility, ACycleInALargeSceneIsShort) {
  Random random(6);
  Boxes boxes = testing::grid(8000, random);
  for (const double shift : {-100.0, 100.0}) {
    for (Box box : testing::kd_tree(5000, random)) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        box.low[axis] += shift;
        box.high[axis] += shift;
      }
      boxes.push_back(box);
    }
  }
  const Boxes beams{{{-60, -50, -49}, {-40, -49, -48}},
                    {{-48, -60, -50}, {-47, -40, -49}},
                    {{-49, -48, -60}, {-48, -47, -40}}};
  boxes.insert(boxes.begin() + 3000, beams.begin(), beams.end());
  const Viewpoint view{{1, 1, 1}, true};
  const std::string text = error_of(boxes, view);
  expect_cycle(text, boxes, view);
  EXPECT_EQ(ranks_of_cycle(text).size(), 4U) << text;
}

// Corners given as (x0, y0, z0, x1, y1, z1) where (x0, x1, y0, y1, z0, z1) is expected are an error, not a
// box without data.
TEST(Visibility, ABoxIsEmptyOnAllAxesOrOnNone) {
  const Boxes boxes{{{0, 0, 0}, {1, 1, 1}}, {{0, 2, 8}, {5, 3, 4}}};
  EXPECT_TRUE(
      error_of(boxes, {{-5, 0, 0}, false})
          .starts_with("the box of rank 1 is [0, 5] x [2, 3] x [8, 4], with low > high on some axes"));
  EXPECT_EQ(visibility_order(Boxes{{{9, 9, 9}, {8, 8, 8}}, boxes[0]}, {{-5, 0, 0}, false}), (Ranks{1, 0}));
}

TEST(Visibility, CoordinatesThatAreNotFiniteNameTheRank) {
  Random random(7);
  for (const double wrong : {nan, infinity, -infinity}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (const bool low : {true, false}) {
        Boxes boxes = testing::row(5, random);
        boxes[1] = no_data;
        (low ? boxes[3].low : boxes[3].high)[axis] = wrong;
        if (is_empty(boxes[3])) continue;
        EXPECT_NE(error_of(boxes, {{-5, 0, 0}, false})
                      .find("the box of rank 3 has a coordinate that is not finite"),
                  std::string::npos);
      }
      Viewpoint view{{-5, 1, 2}, false};
      view.position[axis] = wrong;
      EXPECT_NE(error_of(testing::row(5, random), view).find("the eye is ("), std::string::npos);
      view.parallel = true;
      EXPECT_NE(error_of(testing::row(5, random), view).find("the direction of view is ("),
                std::string::npos);
    }
  }
}

TEST(Visibility, AnEmptyBoxMayBeInfiniteButNotUndefined) {
  Random random(8);
  Boxes boxes = testing::row(3, random);
  boxes[0] = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  EXPECT_EQ(visibility_order(boxes, {{-5, 0, 0}, false}), (Ranks{1, 2, 0}));
  boxes[0] = {{1, nan, 0}, {-1, 0, 0}};
  EXPECT_NE(error_of(boxes, {{-5, 0, 0}, false}).find("the box of rank 0"), std::string::npos);
}

TEST(Visibility, HugeCoordinates) {
  constexpr double huge = std::numeric_limits<double>::max();
  const Boxes boxes{{{0, -huge, -huge}, {huge, huge, huge}}, {{-huge, -huge, -huge}, {0, huge, huge}}};
  EXPECT_EQ(visibility_order(boxes, {{huge, 0, 0}, false}), (Ranks{0, 1}));
  EXPECT_EQ(visibility_order(boxes, {{-huge, 0, 0}, false}), (Ranks{1, 0}));
  const Boxes far{{{0.8 * huge, 0, 0}, {huge, 1, 1}}, {{0.6 * huge, 0, 0}, {0.8 * huge, 1, 1}}};
  EXPECT_EQ(visibility_order(far, {{0, 0, 0}, false}), (Ranks{1, 0}));
}

TEST(Visibility, NothingToSort) {
  EXPECT_EQ(visibility_order({}, {{1, 0, 0}, false}), Ranks{});
  EXPECT_EQ(visibility_order(Boxes{no_data, no_data}, {{1, 0, 0}, false}), (Ranks{0, 1}));
  EXPECT_NE(error_of(Boxes{no_data}, {{0, 0, 0}, true}).find("points somewhere"), std::string::npos);
}

// The pairs of a row of 100 000 that can cover each other are 5 x 10^9: a list of them is tens of gigabytes.
TEST(Visibility, ManyBoxes) {
  Random random(9);
  for (const auto& [name, scene] : scenes) {
    if (scene == random_beams) continue;
    SCOPED_TRACE(name);
    Boxes boxes = scene(scene == testing::row ? 100000 : 20000, random);
    std::shuffle(boxes.begin(), boxes.end(), random);
    const Viewpoint view = random_view(boxes, false, random);
    const Ranks order = visibility_order(boxes, view);
    ASSERT_EQ(order.size(), boxes.size());

    // A sample of the pairs.
    for (int i = 0; i < 100000; ++i) {
      const auto [front, back] = std::minmax({random() % order.size(), random() % order.size()});
      const Box& a = boxes[static_cast<std::size_t>(order[front])];
      const Box& b = boxes[static_cast<std::size_t>(order[back])];
      if (front == back || is_empty(a) || is_empty(b)) continue;
      ASSERT_FALSE(can_cover(b, a, view));
    }
  }
}

}  // namespace
}  // namespace sortlast
