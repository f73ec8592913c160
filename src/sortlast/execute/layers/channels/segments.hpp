// Segments: how the runs of two layers lie beside each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/image/active.hpp"

namespace sortlast {

// Neighbouring pixels that lie in the front layer, in the back one or in both.
struct Segment {
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  std::uint32_t begin = 0;  // pixel of the stretch
  std::uint32_t count = 0;
  std::uint32_t at = 0;           // the sum of the counts before
  std::uint32_t front = nowhere;  // number of the first pixel among the layer's
  std::uint32_t back = nowhere;

  bool in_front() const { return front != nowhere; }
  bool in_back() const { return back != nowhere; }
  bool in_both() const { return in_front() && in_back(); }
};

std::vector<Segment> segments_of(std::span<const ActiveRun> front, std::span<const ActiveRun> back);

// The runs that the segments make up, those that meet as one.
std::vector<ActiveRun> runs_of(std::span<const Segment> segments);

}  // namespace sortlast
