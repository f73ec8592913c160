// Cover: which of two boxes can cover the other, seen from an eye; and the checks of boxes and viewpoints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sortlast/visibility.hpp"

namespace sortlast {

template <class Test>
bool on_some_axis(const Test& test) {
  return test(std::size_t{0}) || test(std::size_t{1}) || test(std::size_t{2});
}

inline std::size_t index(std::int32_t number) { return static_cast<std::size_t>(number); }

// What the messages of errors call the boxes: by their ranks, one a rank; or each rank's boxes by number.
class BoxNames {
 public:
  BoxNames() = default;
  // The boxes of rank r are those from first[r] on; first is rising, and its last entry is their number.
  explicit BoxNames(std::vector<std::int32_t> first) : first_(std::move(first)) {}

  std::string of(std::int32_t box) const;                        // "the box of rank 3", "box 2 of rank 3"
  std::string pair(std::int32_t a, std::int32_t b) const;        // "the boxes of ranks 3 and 5", ...
  std::string chain(std::span<const std::int32_t> boxes) const;  // "rank 3 covers 5 covers 3", ...

 private:
  std::vector<std::int32_t> first_;  // empty: one box a rank
};

// Throws ArgumentError.
void check_finite(const Box& box, std::int32_t number, const BoxNames& names);
void check_viewpoint(const Viewpoint& viewpoint);

bool is_empty(const Box& box);

// Faces that should be one may differ by rounding, so each box gives way on every side.
Box shrunk(const Box& box);

// The eye as a box: a point, or at infinity against the direction of view. Across that direction a parallel
// view has no eye at all, which is an empty interval.
Box eye_of(const Viewpoint& viewpoint);

// The smallest box that holds both.
Box hull(Box box, const Box& other);

// Whether they have more than a face in common.
bool meet(const Box& a, const Box& b);

// Whether a can cover a part of b.
inline bool can_cover(const Box& a, const Box& b, const Box& eye) { return meet(a, hull(b, eye)); }

// The boxes that `box` can cover are those that meet this one.
Box shadow(const Box& box, const Box& eye);

// What an order asks of a set of boxes: apart from each other, and no cycle. Throws ArgumentError, of a pair
// or a cycle of the given numbers, front to back.
[[noreturn]] void refuse_overlap(std::int32_t a, std::int32_t b, const BoxNames& names);
[[noreturn]] void refuse_cycle(std::span<const std::int32_t> cycle, const BoxNames& names);

}  // namespace sortlast
