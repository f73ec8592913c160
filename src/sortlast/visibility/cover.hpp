// Cover: which of two boxes can cover the other, seen from an eye; and checks of boxes and viewpoints.
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

// Names of boxes in error messages: by rank if there is one box per rank, otherwise by rank and number.
class BoxNames {
 public:
  BoxNames() = default;
  // Rank r has the boxes from first[r] on; first is ascending, and its last entry is the number of boxes.
  explicit BoxNames(std::vector<std::int32_t> first) : first_(std::move(first)) {}

  std::string of(std::int32_t box) const;                        // "the box of rank 3", "box 2 of rank 3"
  std::string pair(std::int32_t a, std::int32_t b) const;        // "the boxes of ranks 3 and 5", ...
  std::string chain(std::span<const std::int32_t> boxes) const;  // "rank 3 covers 5 covers 3", ...

 private:
  std::vector<std::int32_t> first_;  // empty: one box per rank
};

// Throws ArgumentError.
void check_finite(const Box& box, std::int32_t number, const BoxNames& names);
void check_viewpoint(const Viewpoint& viewpoint);

bool is_empty(const Box& box);

// Shrinks a box on every side, because faces that should coincide may differ by rounding.
Box shrunk(const Box& box);

// The eye as a box: a point, or a point at infinity opposite to the direction of view. Perpendicular to the
// view direction, a parallel view has no eye, which is represented by an empty interval.
Box eye_of(const Viewpoint& viewpoint);

// The smallest box that contains both.
Box hull(Box box, const Box& other);

// Whether they have more than a face in common.
bool meet(const Box& a, const Box& b);

// Whether a can cover a part of b.
inline bool can_cover(const Box& a, const Box& b, const Box& eye) { return meet(a, hull(b, eye)); }

// A box that meets exactly the boxes that `box` can cover.
Box shadow(const Box& box, const Box& eye);

// A set of boxes can be ordered if no two overlap and there is no cycle. These throw an ArgumentError that
// names a pair or a cycle of the given numbers, front to back.
[[noreturn]] void refuse_overlap(std::int32_t a, std::int32_t b, const BoxNames& names);
[[noreturn]] void refuse_cycle(std::span<const std::int32_t> cycle, const BoxNames& names);

}  // namespace sortlast
