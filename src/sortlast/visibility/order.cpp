// Visibility order: divides by planes that cross no box, and sorts only the sets that these leave undivided.
//
// Measured (bench/visibility.cpp): processor seconds for 10^5 boxes, median of eight views, and growth of
// memory. "searches" is Ties::lowest_first, "planes" Ties::planes, "split" visibility_order_of_parts():
//
//   scene       searches        planes          split
//   grid        0.44  27 MB     0.051  14 MB    0.067  20 MB
//   k-d tree    0.58  27 MB     0.052  14 MB    0.062  19 MB
//   refined     0.48  27 MB     0.071  14 MB    0.087  19 MB
//   row         0.24  27 MB     0.049  14 MB    0.051  19 MB
//   scattered   0.54  27 MB     0.051  14 MB    0.065  19 MB
#include "sortlast/visibility/order.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/visibility/parts.hpp"
#include "sortlast/visibility/planes.hpp"
#include "sortlast/visibility/sorter.hpp"

namespace sortlast {
namespace {

using Numbers = std::vector<std::int32_t>;

// The boxes to be sorted, and which of them hold data.
struct Scene {
  std::vector<Box> inner;  // shrunk by the tolerance
  Numbers full;
  Numbers empty;
  Box eye;
};

Scene checked_scene(std::span<const Box> boxes, const Viewpoint& viewpoint, const BoxNames& names) {
  check_viewpoint(viewpoint);
  Scene scene;
  scene.eye = eye_of(viewpoint);
  scene.inner.reserve(boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const auto number = static_cast<std::int32_t>(i);
    check_finite(boxes[i], number, names);
    scene.inner.push_back(shrunk(boxes[i]));
    (is_empty(boxes[i]) ? scene.empty : scene.full).push_back(number);
  }
  return scene;
}

std::vector<Box> chosen_boxes(const std::vector<Box>& boxes, std::span<const std::int32_t> chosen) {
  std::vector<Box> result;
  result.reserve(chosen.size());
  for (const std::int32_t number : chosen) result.push_back(boxes[index(number)]);
  return result;
}

// The places of the boxes of `set` in an order; throws ArgumentError if there is none.
Numbers order_of_set(std::span<const Box> boxes, std::span<const std::int32_t> set, const Box& eye, Ties ties,
                     const BoxNames& names) {
  Sorter sorter(boxes, eye);
  if (const auto pair = sorter.overlap())
    refuse_overlap(set[index(pair->first)], set[index(pair->second)], names);
  Sorter::Draft draft = sorter.draft();
  if (!draft.cycle.empty()) {
    for (std::int32_t& number : draft.cycle) number = set[index(number)];
    refuse_cycle(draft.cycle, names);
  }
  return ties == Ties::lowest_first ? sorter.lowest_first(draft) : std::move(draft.order);
}

// Each box without the parts that smaller boxes cover.
std::vector<Part> without_overlaps(const std::vector<Part>& parts) {
  const auto volume = [&](std::int32_t number) {
    const Box& box = parts[index(number)].box;
    return (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]) * (box.high[2] - box.low[2]);
  };
  BoxTree tree(inner_boxes(parts));
  Numbers places(parts.size());
  for (std::size_t place = 0; place < parts.size(); ++place)
    places[index(tree.order()[place])] = static_cast<std::int32_t>(place);
  Numbers by_size = tree.order();
  std::sort(by_size.begin(), by_size.end(), [&](std::int32_t a, std::int32_t b) {
    return std::pair(volume(a), a) < std::pair(volume(b), b);
  });

  // The tree holds the smaller boxes.
  std::vector<Part> result;
  for (const std::int32_t number : by_size) {
    const Part& part = parts[index(number)];
    const std::int32_t place = places[index(number)];
    std::vector<Part> smaller;
    Numbers found;
    for (std::int32_t other; (other = tree.lowest_in(part.inner, place)) != BoxTree::none;) {
      found.push_back(other);
      smaller.push_back(parts[index(tree.order()[index(other)])]);
      tree.remove(other);
    }
    for (const std::int32_t other : found) tree.insert(other, other);
    tree.insert(place, place);
    const std::vector<Part> rest = without(part, smaller);
    result.insert(result.end(), rest.begin(), rest.end());
  }
  return result;
}

// Appends parts front to back, and cuts parts that have no order.
class Splitter {
 public:
  Splitter(const Box& eye, const BoxNames& names, std::vector<BoxPart>& result)
      : eye_(eye), names_(names), result_(result) {}

  // Parts that may overlap.
  void take(const std::vector<Part>& parts) {
    Sorter sorter(inner_boxes(parts), eye_);
    if (sorter.overlap()) {
      divide(without_overlaps(parts));
    } else {
      sort(parts, sorter);
    }
  }

 private:
  void divide(const std::vector<Part>& parts) {
    const std::vector<Box> inner = inner_boxes(parts);
    Numbers all(parts.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
    divide_by_planes(inner, all, eye_, [&](std::span<const std::int32_t> set) {
      if (set.size() == 1) {
        append(parts[index(set[0])]);
        return;
      }
      std::vector<Part> chosen;
      for (const std::int32_t number : set) chosen.push_back(parts[index(number)]);
      Sorter sorter(inner_boxes(chosen), eye_);
      sort(chosen, sorter);
    });
  }

  void sort(const std::vector<Part>& parts, Sorter& sorter) {
    const Sorter::Draft draft = sorter.draft();
    if (draft.cycle.empty()) {
      for (const std::int32_t number : draft.order) append(parts[index(number)]);
      return;
    }
    for (const Numbers& component : sorter.components()) {
      std::vector<Part> chosen;
      for (const std::int32_t number : component) chosen.push_back(parts[index(number)]);
      if (chosen.size() == 1) {
        append(chosen[0]);
        continue;
      }
      const std::vector<Part> cut = cut_cycle(chosen, eye_);
      if (cut.empty()) refuse_cycle(sources(parts, draft.cycle), names_);
      divide(cut);
    }
  }

  void append(const Part& part) { result_.push_back({part.box, part.source}); }

  static Numbers sources(const std::vector<Part>& parts, std::span<const std::int32_t> cycle) {
    Numbers result;
    for (const std::int32_t number : cycle) result.push_back(parts[index(number)].source);
    return result;
  }

  Box eye_;
  const BoxNames& names_;
  std::vector<BoxPart>& result_;
};

}  // namespace

std::vector<std::int32_t> order_boxes(std::span<const Box> boxes, const Viewpoint& viewpoint, Ties ties,
                                      const BoxNames& names) {
  const Scene scene = checked_scene(boxes, viewpoint, names);
  Numbers order;
  order.reserve(boxes.size());
  const auto append_sorted = [&](std::span<const std::int32_t> set) {
    const bool all = set.size() == scene.inner.size();  // in that case, no copy is needed
    const std::vector<Box> chosen = all ? std::vector<Box>() : chosen_boxes(scene.inner, set);
    for (const std::int32_t place : order_of_set(all ? scene.inner : chosen, set, scene.eye, ties, names))
      order.push_back(set[index(place)]);
  };
  if (ties == Ties::lowest_first) {
    append_sorted(scene.full);
  } else {
    divide_by_planes(scene.inner, scene.full, scene.eye, [&](std::span<const std::int32_t> set) {
      if (set.size() == 1) {
        order.push_back(set[0]);
      } else {
        append_sorted(set);
      }
    });
  }
  order.insert(order.end(), scene.empty.begin(), scene.empty.end());
  return order;
}

std::vector<BoxPart> order_parts(std::span<const Box> boxes, const Viewpoint& viewpoint,
                                 const BoxNames& names) {
  const Scene scene = checked_scene(boxes, viewpoint, names);
  std::vector<BoxPart> result;
  result.reserve(boxes.size());
  Splitter splitter(scene.eye, names, result);
  divide_by_planes(scene.inner, scene.full, scene.eye, [&](std::span<const std::int32_t> set) {
    if (set.size() == 1) {
      result.push_back({boxes[index(set[0])], set[0]});
      return;
    }
    std::vector<Part> parts;
    for (const std::int32_t number : set)
      parts.push_back({boxes[index(number)], scene.inner[index(number)], number});
    splitter.take(parts);
  });
  for (const std::int32_t number : scene.empty) result.push_back({boxes[index(number)], number});
  return result;
}

std::vector<std::int32_t> visibility_order(std::span<const Box> boxes, const Viewpoint& viewpoint,
                                           Ties ties) {
  return order_boxes(boxes, viewpoint, ties, {});
}

std::vector<BoxPart> visibility_order_of_parts(std::span<const Box> boxes, const Viewpoint& viewpoint) {
  return order_parts(boxes, viewpoint, {});
}

std::vector<std::int32_t> visibility_order(std::span<const Box> boxes, std::span<const SplitNode> tree,
                                           const Viewpoint& viewpoint) {
  return order_by_tree(boxes, tree, viewpoint, {});
}

}  // namespace sortlast
