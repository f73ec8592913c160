// Scenes of disjoint boxes for the visibility order, and which box of a pair can cover the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast::testing {

using Boxes = std::vector<Box>;
using Random = std::mt19937_64;

inline double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline bool is_empty(const Box& box) {
  return box.low[0] > box.high[0] || box.low[1] > box.high[1] || box.low[2] > box.high[2];
}

// Apart but for a sliver of a millionth of the larger extent.
inline bool apart(const Box& a, const Box& b, std::size_t axis) {
  const double slack = 1e-6 * std::max(a.high[axis] - a.low[axis], b.high[axis] - b.low[axis]);
  return a.high[axis] <= b.low[axis] + slack || b.high[axis] <= a.low[axis] + slack;
}

// Whether a plane between boxes that are apart on the axis has the eye on b's side, or in it.
inline bool eye_on_far_side(const Box& a, const Box& b, std::size_t axis, const Viewpoint& view) {
  const bool a_below = a.low[axis] + a.high[axis] < b.low[axis] + b.high[axis];
  const double eye = view.position[axis];
  if (view.parallel) return a_below ? eye <= 0 : eye >= 0;
  return a_below ? eye >= a.high[axis] : eye <= a.low[axis];
}

inline bool can_cover(const Box& a, const Box& b, const Viewpoint& view) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (apart(a, b, axis) && eye_on_far_side(a, b, axis, view)) return false;
  }
  return true;
}

inline Box bounds_of(const Boxes& boxes) {
  Box bounds{{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
  for (const Box& box : boxes) {
    if (is_empty(box)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      bounds.low[axis] = std::min(bounds.low[axis], box.low[axis]);
      bounds.high[axis] = std::max(bounds.high[axis], box.high[axis]);
    }
  }
  return bounds;
}

// Each scene is a function of the number of boxes.

// Cells of a regular grid that is as cubic as may be; the last layers may be incomplete.
inline Boxes grid(int p, Random&) {
  const int side = std::max(1, static_cast<int>(std::lround(std::cbrt(p))));
  Boxes boxes;
  for (int i = 0; i < p; ++i) {
    const double x = i % side;
    const double y = i / side % side;
    const double z = i / side / side;  // NOLINT(bugprone-integer-division): whole layers
    boxes.push_back({{x, y, z}, {x + 1, y + 1, z + 1}});
  }
  return boxes;
}

// Side by side along x.
inline Boxes row(int p, Random&) {
  Boxes boxes;
  for (int i = 0; i < p; ++i) boxes.push_back({{i + 0.0, 0, 0}, {i + 1.0, 1, 1}});
  return boxes;
}

// Leaves of a k-d tree: the box with the most leaves to come is cut across a random axis at a random place.
inline void cut(const Box& box, int leaves, Random& random, Boxes& boxes) {
  if (leaves == 1) {
    boxes.push_back(box);
    return;
  }
  const auto axis = static_cast<std::size_t>(random() % 3);
  const int below = std::clamp(static_cast<int>(leaves * uniform(random, 0.2, 0.8)), 1, leaves - 1);
  Box first = box;
  Box second = box;
  first.high[axis] = second.low[axis] =
      box.low[axis] + (box.high[axis] - box.low[axis]) * uniform(random, 0.2, 0.8);
  cut(first, below, random, boxes);
  cut(second, leaves - below, random, boxes);
}

inline Boxes kd_tree(int p, Random& random) {
  Boxes boxes;
  cut({{0, 0, 0}, {8, 8, 8}}, p, random, boxes);
  return boxes;
}

// Patches of many sizes, as of adaptive mesh refinement: random ones are replaced by their eight octants.
inline Boxes refined(int p, Random& random) {
  Boxes boxes{{{0, 0, 0}, {8, 8, 8}}};
  while (static_cast<int>(boxes.size()) + 7 <= p) {
    std::swap(boxes[random() % boxes.size()], boxes.back());
    const Box whole = boxes.back();
    boxes.pop_back();
    for (unsigned octant = 0; octant < 8; ++octant) {
      Box part = whole;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double middle = (whole.low[axis] + whole.high[axis]) / 2;
        ((octant >> axis & 1) != 0 ? part.low : part.high)[axis] = middle;
      }
      boxes.push_back(part);
    }
  }
  return boxes;
}

// Apart from each other: a random part of each leaf of a k-d tree.
inline Boxes scattered(int p, Random& random) {
  Boxes boxes = kd_tree(p, random);
  for (Box& box : boxes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double low = box.low[axis];
      const double extent = box.high[axis] - low;
      box.low[axis] = low + extent * uniform(random, 0, 0.4);
      box.high[axis] = low + extent * uniform(random, 0.6, 1);
    }
  }
  return boxes;
}

// Small boxes in a large space: nearly points.
inline Boxes dust(int p, Random& random) {
  Boxes boxes = kd_tree(p, random);
  for (Box& box : boxes) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double extent = box.high[axis] - box.low[axis];
      box.low[axis] += extent * uniform(random, 0, 0.999);
      box.high[axis] = box.low[axis] + extent * 0.001;
    }
  }
  return boxes;
}

// A grid nine tenths of which hold no data.
inline Boxes mostly_empty(int p, Random& random) {
  Boxes boxes = grid(p, random);
  for (Box& box : boxes) {
    if (random() % 10 != 0) box = {{1, 1, 1}, {-1, -1, -1}};
  }
  return boxes;
}

// Two layers of beams, along x and along y: every beam of one layer touches all of the other. The most
// neighbours that disjoint boxes can have.
inline Boxes crossed_beams(int p, Random&) {
  Boxes boxes;
  const int half = p / 2;
  for (int i = 0; i < half; ++i) boxes.push_back({{0, i + 0.0, 0}, {half + 0.0, i + 1.0, 1}});
  for (int i = 0; i < p - half; ++i) boxes.push_back({{i + 0.0, 0, 1}, {i + 1.0, half + 0.0, 2}});
  return boxes;
}

// Long boxes in all directions, as many of p as overlap with none before them: often with cycles.
inline Boxes random_beams(int p, Random& random) {
  Boxes boxes;
  for (int i = 0; i < p; ++i) {
    Box box;
    const std::size_t along = random() % 3;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = static_cast<double>(random() % (axis == along ? 4 : 8));
      box.high[axis] = box.low[axis] + static_cast<double>(axis == along ? 2 + random() % 6 : 1);
    }
    const bool overlaps = std::any_of(boxes.begin(), boxes.end(), [&](const Box& other) {
      return !apart(box, other, 0) && !apart(box, other, 1) && !apart(box, other, 2);
    });
    if (!overlaps) boxes.push_back(box);
  }
  return boxes;
}

// Eyes near, far, inside and level with faces of boxes; directions, some of them along axes.
inline Viewpoint random_view(const Boxes& boxes, bool on_faces, Random& random) {
  const Box bounds = bounds_of(boxes);
  Viewpoint view{{}, random() % 2 == 0};
  const double margin = uniform(random, 0, 1) < 0.5 ? 0 : uniform(random, 0, 3);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (view.parallel) {
      view.position[axis] = static_cast<double>(random() % 3) - 1;
      continue;
    }
    const double extent = bounds.high[axis] - bounds.low[axis];
    view.position[axis] =
        uniform(random, bounds.low[axis] - margin * extent, bounds.high[axis] + margin * extent);
    const Box& box = boxes[random() % boxes.size()];
    if (on_faces && random() % 3 == 0 && !is_empty(box)) view.position[axis] = box.high[axis];
  }
  if (view.parallel && view.position == std::array<double, 3>{}) view.position = {0, -2, 0};
  return view;
}

}  // namespace sortlast::testing
