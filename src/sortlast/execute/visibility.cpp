// Visibility order.
//
// Problem. Boxes a and b that do not overlap are apart on some axis. On each such axis there is a plane
// between them, and if the eye lies on b's side of it, a cannot cover b. If that is so on no axis, a can
// cover b. The order keeps this relation, and takes the lowest rank wherever it leaves a choice. In a row of
// p boxes p^2 / 2 pairs can cover each other; no pair is listed here, and memory is O(p).
//
// Model. "a can cover b" says the same as: a has more than a face in common with the smallest box that holds
// b and the eye. (An axis on which they are apart with the eye on b's side is one on which a is apart from
// both.) With the eye at infinity the view is parallel. So "who can cover b?" is a search in a box tree.
//
// Order. 1. No box meets another: one search a box. 2. A draft, depth first: a box comes after those that can
// cover it, each of which is found by a search among the boxes that are not placed. One that is found again
// while its own covers are sought lies on a cycle. 3. The order: a free rank is one that no unplaced rank can
// cover; place the lowest again and again. Every box waits for one other, the last in the draft of those that
// can cover it and are not placed, and looks for the next when that one is placed. Nothing unplaced can stand
// between the two, so a box waits at most once for each of its edges in the transitive reduction. That can be
// p^2 / 4 edges (two layers of crossed beams), but as draft and order are alike it is two or three in
// practice.
//
// Measured (bench/visibility.cpp), processor seconds for p boxes, median and slowest of eight views:
//
//   scene           p = 10^3        10^4        10^5          pairs that can cover at 10^5
//   grid            0.003 0.003     0.04 0.04   0.49 0.55     1.3e9
//   k-d tree        0.003 0.004     0.05 0.05   0.63 0.67     1.2e9
//   refined         0.003 0.003     0.04 0.04   0.49 0.54     1.6e9
//   row             0.002 0.002     0.02 0.02   0.22 0.23     5.0e9
//   scattered       0.003 0.003     0.05 0.05   0.60 0.66     1.1e9
//   dust            0.003 0.004     0.06 0.07   0.83 1.93     1.0e9
//   crossed beams   0.002 0.002     0.02 0.02   0.28 0.30     5.0e9
//
// Memory grows by 27 MB at 10^5 in each; a grid of 10^6 takes 5.7 s and 262 MB. Dust, boxes that are nearly
// points, is the worst: eight searches a box where the ranks rise towards the eye.
//
// Rejected: a list of all pairs, which takes 1.6 s and 250 MB for a k-d tree of 10^4 boxes, a hundred times
// that for 10^5; and separating planes, with pairs inside what no plane divides, which gives another order
// wherever there is a choice.
#include "sortlast/visibility.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/box_tree.hpp"

namespace sortlast {
namespace {

using Numbers = std::vector<std::int32_t>;  // ranks, or places of boxes in the tree

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

template <class Test>
bool on_some_axis(const Test& test) {
  return test(0) || test(1) || test(2);
}

bool is_empty(const Box& box) {
  return on_some_axis([&](std::size_t axis) { return box.low[axis] > box.high[axis]; });
}

void check_finite(const Box& box, std::size_t rank) {
  const bool empty = is_empty(box);
  const bool wrong = on_some_axis([&](std::size_t axis) {
    const double low = box.low[axis];
    const double high = box.high[axis];
    return empty ? std::isnan(low) || std::isnan(high) : !std::isfinite(low) || !std::isfinite(high);
  });
  if (wrong) {
    throw ArgumentError("the box of rank " + std::to_string(rank) +
                        " has a coordinate that is not finite; expected finite ones, or low > high on some " +
                        "axis for a rank without data");
  }
}

void check_viewpoint(const Viewpoint& viewpoint) {
  const auto& position = viewpoint.position;
  const std::string what = viewpoint.parallel ? "the direction of view" : "the eye";
  if (on_some_axis([&](std::size_t axis) { return !std::isfinite(position[axis]); })) {
    throw ArgumentError(what + " is (" + std::to_string(position[0]) + ", " + std::to_string(position[1]) +
                        ", " + std::to_string(position[2]) + "); expected finite coordinates");
  }
  if (viewpoint.parallel && position == std::array<double, 3>{}) {
    throw ArgumentError(what + " is (0, 0, 0); expected one that points somewhere");
  }
}

// Faces that should be one may differ by rounding, so each box gives way on every side.
Box shrunk(const Box& box) {
  constexpr double tolerance = 1e-6;  // of the box's extent
  Box result = box;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double slack = tolerance * box.high[axis] - tolerance * box.low[axis];
    result.low[axis] += slack;
    result.high[axis] -= slack;
  }
  return result;
}

// The eye as a box: a point, or at infinity against the direction of view. Across that direction a parallel
// view has no eye at all, which is an empty interval.
Box eye_of(const Viewpoint& viewpoint) {
  Box eye{viewpoint.position, viewpoint.position};
  if (!viewpoint.parallel) return eye;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    eye.low[axis] = viewpoint.position[axis] > 0 ? -infinity : infinity;
    eye.high[axis] = viewpoint.position[axis] < 0 ? infinity : -infinity;
  }
  return eye;
}

// The smallest box that holds both.
Box hull(Box box, const Box& other) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] = std::min(box.low[axis], other.low[axis]);
    box.high[axis] = std::max(box.high[axis], other.high[axis]);
  }
  return box;
}

// A path of boxes each of which can cover the one before it, and the first one the last: as text, without
// those that can be left out. From each box it goes on to the last one on the path that can cover it.
std::string describe_cycle(std::span<const Box> path, std::span<const std::int32_t> ranks, const Box& eye) {
  BoxTree tree(path);
  const auto last = static_cast<std::int32_t>(path.size()) - 1;
  Numbers keys;
  Numbers place_of(path.size());
  for (const std::int32_t step : tree.order()) {
    place_of[index(step)] = static_cast<std::int32_t>(keys.size());
    keys.push_back(last - step);
  }
  tree.insert_all(keys);

  std::string text;
  for (std::int32_t step = 0; step != last;) {
    text.insert(0, " covers " + std::to_string(ranks[index(step)]));
    const std::int32_t place = tree.lowest_in(hull(path[index(step)], eye), place_of[index(step)]);
    step = tree.order()[index(place)];
  }
  return std::to_string(ranks[0]) + " covers " + std::to_string(ranks[index(last)]) + text;
}

// The boxes that are not empty, and how they are sorted. Boxes go by their place in the tree.
class Sorter {
 public:
  // `ranks` are those of the boxes, rising.
  Sorter(std::span<const Box> boxes, const Numbers& ranks, const Box& eye)
      : eye_(eye), tree_(boxes), by_rank_(boxes.size()) {
    for (const std::int32_t box : tree_.order()) {
      by_rank_[index(box)] = static_cast<std::int32_t>(ranks_.size());
      ranks_.push_back(ranks[index(box)]);
    }
  }

  void check_overlaps();
  Numbers draft();
  Numbers order(const Numbers& draft);

 private:
  // The box of lowest key in the tree that can cover this one.
  std::int32_t cover_of(std::int32_t box) const {
    return tree_.lowest_in(hull(tree_.boxes()[index(box)], eye_), box);
  }
  std::string cycle(std::span<const std::int32_t> path) const;

  Box eye_;
  BoxTree tree_;
  Numbers ranks_;    // of the box at each place
  Numbers by_rank_;  // the places, in the order of the ranks
};

void Sorter::check_overlaps() {
  using Pair = std::pair<std::int32_t, std::int32_t>;
  constexpr Pair no_pair{INT32_MAX, INT32_MAX};
  Pair lowest = no_pair;
  tree_.insert_all(ranks_);
  for (std::size_t place = 0; place < ranks_.size(); ++place) {
    const auto box = static_cast<std::int32_t>(place);
    const std::int32_t other = tree_.lowest_in(tree_.boxes()[place], box);
    if (other != BoxTree::none)
      lowest = std::min<Pair>(lowest, std::minmax(ranks_[place], ranks_[index(other)]));
    tree_.remove(box);  // every pair once
  }
  if (lowest != no_pair) {
    throw ArgumentError("the boxes of ranks " + std::to_string(lowest.first) + " and " +
                        std::to_string(lowest.second) +
                        " overlap; expected boxes that share no more than a face");
  }
}

// Some order that keeps the relation: low ranks first, each after those that can cover it.
Numbers Sorter::draft() {
  enum class State : char { unseen, on_path, placed };
  std::vector<State> states(ranks_.size(), State::unseen);
  Numbers draft;
  Numbers path;  // each box can cover the one before it
  const auto enter = [&](std::int32_t box) {
    states[index(box)] = State::on_path;
    path.push_back(box);
  };

  tree_.insert_all(ranks_);  // holds what is not placed
  for (const std::int32_t root : by_rank_) {
    if (states[index(root)] == State::unseen) enter(root);
    while (!path.empty()) {
      const std::int32_t box = path.back();
      const std::int32_t cover = cover_of(box);
      if (cover == BoxTree::none) {
        states[index(box)] = State::placed;
        draft.push_back(box);
        path.pop_back();
        tree_.remove(box);
      } else if (states[index(cover)] == State::unseen) {
        enter(cover);
      } else {
        path.erase(path.begin(), std::find(path.begin(), path.end(), cover));
        throw ArgumentError("the boxes have no front-to-back order: rank " + cycle(path) +
                            "; split one of them, or divide the data by a kd-tree");
      }
    }
  }
  return draft;
}

std::string Sorter::cycle(std::span<const std::int32_t> path) const {
  std::vector<Box> boxes;
  Numbers ranks;
  for (const std::int32_t box : path) {
    boxes.push_back(tree_.boxes()[index(box)]);
    ranks.push_back(ranks_[index(box)]);
  }
  return describe_cycle(boxes, ranks, eye_);
}

// Ranks from front to back. Requires an empty tree.
Numbers Sorter::order(const Numbers& draft) {
  using RankAndBox = std::pair<std::int32_t, std::int32_t>;
  std::priority_queue<RankAndBox, std::vector<RankAndBox>, std::greater<>> free;
  // The boxes that wait for a box are a list: the first of them, and the one after each.
  Numbers first_waiting(ranks_.size(), BoxTree::none);
  Numbers next_waiting(ranks_.size(), BoxTree::none);
  const auto wait_or_be_free = [&](std::int32_t box) {
    const std::int32_t cover = cover_of(box);
    if (cover == BoxTree::none) {
      free.emplace(ranks_[index(box)], box);
    } else {
      next_waiting[index(box)] = std::exchange(first_waiting[index(cover)], box);
    }
  };

  // Let each box wait for the last one before it in the draft that can cover it.
  auto key = static_cast<std::int32_t>(draft.size());
  for (const std::int32_t box : draft) {
    wait_or_be_free(box);
    tree_.insert(box, --key);
  }

  // Place the lowest rank that is free; those that waited for it look again.
  Numbers order;
  order.reserve(ranks_.size());
  while (!free.empty()) {
    const auto [rank, box] = free.top();
    free.pop();
    order.push_back(rank);
    tree_.remove(box);
    for (std::int32_t waiting = first_waiting[index(box)]; waiting != BoxTree::none;) {
      const std::int32_t next = next_waiting[index(waiting)];
      wait_or_be_free(waiting);
      waiting = next;
    }
  }
  return order;
}

}  // namespace

std::vector<std::int32_t> visibility_order(std::span<const Box> boxes, const Viewpoint& viewpoint) {
  check_viewpoint(viewpoint);
  std::vector<Box> full;
  Numbers ranks;
  Numbers empty;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    check_finite(boxes[rank], rank);
    if (!is_empty(boxes[rank])) full.push_back(shrunk(boxes[rank]));
    (is_empty(boxes[rank]) ? empty : ranks).push_back(static_cast<std::int32_t>(rank));
  }
  Sorter sorter(full, ranks, eye_of(viewpoint));
  sorter.check_overlaps();
  Numbers order = sorter.order(sorter.draft());
  order.insert(order.end(), empty.begin(), empty.end());
  return order;
}

}  // namespace sortlast
