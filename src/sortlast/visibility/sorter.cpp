// Sorter: orders boxes by searches in a tree of boxes.
//
// Problem. The order respects the relation of cover.cpp, and takes the lowest number wherever it has a
// choice. In a row of p boxes, p^2 / 2 pairs can cover each other; pairs are never listed here, and memory is
// O(p). To find the boxes that can cover b, search for boxes that meet the smallest box that contains b and
// the eye.
//
// Order. 1. No box meets another: one search per box. 2. A draft, depth first: a box follows those that can
// cover it, each of which is found by a search among the boxes not yet placed. A box that is found again
// while the boxes covering it are being searched lies on a cycle. 3. The order: a free box is one that no
// unplaced box can cover; repeatedly place the lowest. Every other box waits for one box, namely the last in
// the draft that can cover it and is not placed, and looks for the next when that one is placed. No unplaced
// box can lie between the two, so a box waits at most once for each of its edges in the transitive reduction.
// There can be p^2 / 4 edges (two layers of crossed beams), but because the draft resembles the order, a box
// waits two or three times in practice.
//
// Measured (bench/visibility.cpp): processor seconds for p boxes, median and slowest of eight views.
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
// Memory grows by 27 MB at 10^5 in each case; a grid of 10^6 takes 5.7 s and 262 MB. Dust, boxes that are
// nearly points, is the worst case: eight searches per box if the ranks ascend towards the eye.
//
// Rejected: a list of all pairs, which takes 1.6 s and 250 MB for a k-d tree of 10^4 boxes and a hundred
// times that for 10^5; and separating planes, with pairs inside the sets that no plane divides, which gives a
// different order wherever there is a choice.
#include "sortlast/visibility/sorter.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace sortlast {
namespace {

using Numbers = std::vector<std::int32_t>;

// Shorten a cyclic path of boxes, each of which can cover the previous one (and the first box the last):
// without dispensable boxes, front to back, with the first box repeated at the end. From each box, continue
// with the last box on the path that can cover it.
Numbers shortened(std::span<const Box> path, std::span<const std::int32_t> numbers, const Box& eye) {
  BoxTree tree(path);
  const auto last = static_cast<std::int32_t>(path.size()) - 1;
  Numbers keys;
  Numbers place_of(path.size());
  for (const std::int32_t step : tree.order()) {
    place_of[index(step)] = static_cast<std::int32_t>(keys.size());
    keys.push_back(last - step);
  }
  tree.insert_all(keys);

  Numbers backwards{numbers[0]};
  for (std::int32_t step = 0; step != last;) {
    const std::int32_t place = tree.lowest_in(hull(path[index(step)], eye), place_of[index(step)]);
    step = tree.order()[index(place)];
    backwards.push_back(numbers[index(step)]);
  }
  backwards.push_back(numbers[0]);
  return {backwards.rbegin(), backwards.rend()};
}

}  // namespace

Sorter::Sorter(std::span<const Box> boxes, const Box& eye)
    : eye_(eye), tree_(boxes), place_of_(boxes.size()) {
  for (std::size_t place = 0; place < boxes.size(); ++place)
    place_of_[index(tree_.order()[place])] = static_cast<std::int32_t>(place);
}

std::optional<std::pair<std::int32_t, std::int32_t>> Sorter::overlap() {
  using Pair = std::pair<std::int32_t, std::int32_t>;
  std::optional<Pair> lowest;
  tree_.insert_all(tree_.order());
  for (std::size_t i = 0; i < place_of_.size(); ++i) {
    const auto place = static_cast<std::int32_t>(i);
    const std::int32_t other = tree_.lowest_in(tree_.boxes()[i], place);
    if (other != BoxTree::none) {
      const Pair pair = std::minmax(tree_.order()[i], tree_.order()[index(other)]);
      lowest = lowest ? std::min(*lowest, pair) : pair;
    }
    tree_.remove(place);  // consider every pair once
  }
  return lowest;
}

Sorter::Draft Sorter::draft() {
  enum class State : char { unseen, on_path, placed };
  std::vector<State> states(place_of_.size(), State::unseen);
  Draft draft;
  Numbers path;  // places; each box can cover the previous one
  const auto enter = [&](std::int32_t place) {
    states[index(place)] = State::on_path;
    path.push_back(place);
  };

  tree_.insert_all(tree_.order());  // holds the boxes not yet placed
  for (const std::int32_t root : place_of_) {
    if (states[index(root)] == State::unseen) enter(root);
    while (!path.empty()) {
      const std::int32_t place = path.back();
      const std::int32_t cover = cover_of(place);
      if (cover == BoxTree::none) {
        states[index(place)] = State::placed;
        draft.order.push_back(tree_.order()[index(place)]);
        path.pop_back();
        tree_.remove(place);
      } else if (states[index(cover)] == State::unseen) {
        enter(cover);
      } else {
        path.erase(path.begin(), std::find(path.begin(), path.end(), cover));
        return {{}, cycle(path)};
      }
    }
  }
  return draft;
}

Numbers Sorter::cycle(std::span<const std::int32_t> path) const {
  std::vector<Box> boxes;
  Numbers numbers;
  for (const std::int32_t place : path) {
    boxes.push_back(tree_.boxes()[index(place)]);
    numbers.push_back(tree_.order()[index(place)]);
  }
  return shortened(boxes, numbers, eye_);
}

Numbers Sorter::lowest_first(const Draft& draft) {
  using BoxAndPlace = std::pair<std::int32_t, std::int32_t>;
  std::priority_queue<BoxAndPlace, std::vector<BoxAndPlace>, std::greater<>> free;
  // The boxes waiting for a box form a linked list: the first of them, and the successor of each.
  Numbers first_waiting(place_of_.size(), BoxTree::none);
  Numbers next_waiting(place_of_.size(), BoxTree::none);
  const auto wait_or_be_free = [&](std::int32_t place) {
    const std::int32_t cover = cover_of(place);
    if (cover == BoxTree::none) {
      free.emplace(tree_.order()[index(place)], place);
    } else {
      next_waiting[index(place)] = std::exchange(first_waiting[index(cover)], place);
    }
  };

  // Make each box wait for the last box before it in the draft that can cover it.
  tree_.clear();
  auto key = static_cast<std::int32_t>(draft.order.size());
  for (const std::int32_t box : draft.order) {
    const std::int32_t place = place_of_[index(box)];
    wait_or_be_free(place);
    tree_.insert(place, --key);
  }

  // Place the lowest free box; the boxes waiting for it search again.
  Numbers order;
  order.reserve(place_of_.size());
  while (!free.empty()) {
    const auto [box, place] = free.top();
    free.pop();
    order.push_back(box);
    tree_.remove(place);
    for (std::int32_t waiting = first_waiting[index(place)]; waiting != BoxTree::none;) {
      const std::int32_t next = next_waiting[index(waiting)];
      wait_or_be_free(waiting);
      waiting = next;
    }
  }
  return order;
}

// Kosaraju's two depth-first searches; a box is removed from the tree when it is found, so no pair is
// examined twice. The first search goes from each box to the boxes that can cover it. The second starts from
// the boxes finished last and goes to the boxes that they can cover.
std::vector<Numbers> Sorter::components() {
  const auto search = [&](std::int32_t root, const auto& query, const auto& leave) {
    Numbers path{root};
    tree_.remove(root);
    while (!path.empty()) {
      const std::int32_t place = path.back();
      const std::int32_t next = tree_.lowest_in(query(tree_.boxes()[index(place)]), place);
      if (next == BoxTree::none) {
        leave(place);
        path.pop_back();
      } else {
        path.push_back(next);
        tree_.remove(next);
      }
    }
  };

  std::vector<char> found(place_of_.size(), 0);
  Numbers left;
  tree_.insert_all(tree_.order());
  for (const std::int32_t root : place_of_) {
    if (found[index(root)] != 0) continue;
    search(
        root, [&](const Box& box) { return hull(box, eye_); },
        [&](std::int32_t place) {
          found[index(place)] = 1;
          left.push_back(place);
        });
  }

  // Backwards in `left`, a set is found before the sets in front of it.
  std::vector<Numbers> sets;
  tree_.insert_all(tree_.order());
  for (auto root = left.rbegin(); root != left.rend(); ++root) {
    if (found[index(*root)] == 0) continue;
    Numbers& set = sets.emplace_back();
    search(
        *root, [&](const Box& box) { return shadow(box, eye_); },
        [&](std::int32_t place) {
          found[index(place)] = 0;
          set.push_back(tree_.order()[index(place)]);
        });
    std::sort(set.begin(), set.end());
  }
  std::reverse(sets.begin(), sets.end());
  return sets;
}

}  // namespace sortlast
