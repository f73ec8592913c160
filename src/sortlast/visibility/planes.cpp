// Planes: a k-d tree of boxes, rebuilt for each order and never stored.
//
// A box on the far side of a plane cannot cover one on the eye's side, so the sides can be ordered one after
// the other. If planes separate all boxes, as in a grid, a k-d tree or an octree, this yields the complete
// order. Each axis keeps its intervals sorted by their low ends. A sweep that tracks the highest end so far
// finds the planes. Dividing keeps the three lists sorted, so nothing is sorted again, and all memory is read
// sequentially.
//
// Rejected: using all planes of an axis at once, because a move of the eye then changes which boxes are
// neighbours far away from it. Not tried: indices into the boxes instead of copies of the intervals, which
// would take less memory but access the boxes of a node in random order.
#include "sortlast/visibility/planes.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "sortlast/visibility/cover.hpp"

namespace sortlast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Interval {
  double low;
  double high;
  std::int32_t box;
};

bool comes_before(const Interval& a, const Interval& b) {
  if (a.low != b.low) return a.low < b.low;
  if (a.high != b.high) return a.high < b.high;
  return a.box < b.box;
}

// A plane between the first `below` intervals of an axis and the others.
struct Plane {
  std::size_t axis = 0;
  std::size_t below = 0;  // 0: no plane
  std::size_t smaller = 0;
  double extent = 0;  // of all boxes along the axis
  double low = 0;     // highest end of the intervals below
};

class Divider {
 public:
  Divider(std::span<const Box> boxes, std::span<const std::int32_t> chosen, const Box& eye,
          const TakeSet& take)
      : eye_(eye),
        take_(take),
        most_depth_(3 * static_cast<int>(std::bit_width(chosen.size())) + 16),
        numbers_(chosen.begin(), chosen.end()),
        is_below_(chosen.size()),
        above_(chosen.size()) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<Interval>& list = lists_[axis];
      list.reserve(chosen.size());
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const Box& box = boxes[index(chosen[i])];
        list.push_back({box.low[axis], box.high[axis], static_cast<std::int32_t>(i)});
      }
      std::sort(list.begin(), list.end(), comes_before);
    }
  }

  void divide(std::size_t first, std::size_t count, int depth) {
    const Plane plane = count > 1 && depth < most_depth_ ? best_plane(first, count) : Plane{};
    if (plane.below == 0) {
      take(first, count);
      return;
    }
    // The eye lies either above the highest end below, or below the lowest end above.
    const bool above_first = eye_.low[plane.axis] > plane.low;
    split(first, count, plane);
    if (above_first) divide(first + plane.below, count - plane.below, depth + 1);
    divide(first, plane.below, depth + 1);
    if (!above_first) divide(first + plane.below, count - plane.below, depth + 1);
  }

 private:
  Plane best_plane(std::size_t first, std::size_t count) const {
    Plane best;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Interval* list = lists_[axis].data() + first;
      Plane plane{axis, 0, 0, 0, 0};
      double high = list[0].high;
      for (std::size_t i = 1; i < count; ++i) {
        const std::size_t smaller = std::min(i, count - i);
        if (high <= list[i].low && smaller > plane.smaller) {
          plane.below = i;
          plane.smaller = smaller;
          plane.low = high;
        }
        high = std::max(high, list[i].high);
      }
      plane.extent = high - list[0].low;
      if (plane.smaller > best.smaller || (plane.smaller == best.smaller && plane.extent > best.extent))
        best = plane;
    }
    return best;
  }

  // In the lists of the other axes, also move the intervals below the plane to the front.
  void split(std::size_t first, std::size_t count, const Plane& plane) {
    const auto divided = lists_[plane.axis].begin() + static_cast<std::ptrdiff_t>(first);
    for (std::size_t i = 0; i < count; ++i)
      is_below_[index(divided[static_cast<std::ptrdiff_t>(i)].box)] = i < plane.below ? 1 : 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (axis == plane.axis) continue;
      Interval* const list = lists_[axis].data() + first;
      std::size_t below = 0;
      std::size_t above = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Interval interval = list[i];
        const std::size_t is_below = static_cast<unsigned char>(is_below_[index(interval.box)]);
        list[below] = interval;  // either this or the next element is overwritten later
        above_[above] = interval;
        below += is_below;
        above += 1 - is_below;
      }
      std::copy_n(above_.begin(), above, list + below);
    }
  }

  void take(std::size_t first, std::size_t count) {
    set_.clear();
    for (std::size_t i = first; i < first + count; ++i) set_.push_back(numbers_[index(lists_[0][i].box)]);
    std::sort(set_.begin(), set_.end());
    take_(set_);
  }

  Box eye_;
  const TakeSet& take_;
  int most_depth_;
  std::vector<std::int32_t> numbers_;
  std::array<std::vector<Interval>, 3> lists_;
  std::vector<char> is_below_;
  std::vector<Interval> above_;  // scratch memory of split()
  std::vector<std::int32_t> set_;
};

}  // namespace

void divide_by_planes(std::span<const Box> boxes, std::span<const std::int32_t> chosen, const Box& eye,
                      const TakeSet& take) {
  if (!chosen.empty()) Divider(boxes, chosen, eye, take).divide(0, chosen.size(), 0);
}

CrossingPlane sparsest_plane(std::span<const Box> boxes) {
  CrossingPlane best;
  double best_ratio = infinity;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> lows;
    std::vector<double> highs;
    for (const Box& box : boxes) {
      lows.push_back(box.low[axis]);
      highs.push_back(box.high[axis]);
    }
    std::sort(lows.begin(), lows.end());
    std::sort(highs.begin(), highs.end());
    for (const std::vector<double>* const faces : {&lows, &highs}) {
      for (const double face : *faces) {
        const auto below =
            static_cast<std::size_t>(std::upper_bound(highs.begin(), highs.end(), face) - highs.begin());
        const auto above =
            static_cast<std::size_t>(lows.end() - std::lower_bound(lows.begin(), lows.end(), face));
        if (below + above >= boxes.size()) continue;  // flat boxes in the plane are counted twice
        const std::size_t crossed = boxes.size() - below - above;
        const double ratio =
            static_cast<double>(crossed) / (static_cast<double>(std::min(below, above)) + 0.5);
        if (ratio < best_ratio) {
          best_ratio = ratio;
          best = {axis, face, crossed, true};
        }
      }
    }
  }
  return best;
}

}  // namespace sortlast
