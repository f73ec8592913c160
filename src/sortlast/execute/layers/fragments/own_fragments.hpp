// Own fragments: what one rank brings to a frame, checked, put in order pixel by pixel, and blended early
// where no other rank's fragments can come between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/fragments/depth_intervals.hpp"
#include "sortlast/execute/layers/fragments/fragment_string.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

class OwnFragments {
 public:
  // The view's memory must stay. Throws ArgumentError: spans of the wrong length, negative counts.
  OwnFragments(const FragmentsView& view, std::uint32_t rank);

  Size size() const { return view_.size; }
  // Fragments of the pixels, those of the surface among them: at most.
  std::size_t most(Range pixels) const;
  // The intervals of their depths, by tile.
  std::vector<DepthInterval> intervals(const DepthTiles& tiles) const;

  // Memory of load().
  struct Room {
    std::vector<std::uint32_t> counts;
    std::vector<std::byte> colour;
    std::vector<std::byte> depth;
  };
  // The lists of the pixels in order: where they lie, if they are in order there, else in the room.
  FragmentLists load(Range pixels, Room& room) const;

  // Append them as a string. `limits`, if not null: blended early as far as these allow, and without what a
  // fragment of alpha 1 hides.
  void encode(Range pixels, const DepthLimits* limits, Bytes& out) const;

 private:
  std::size_t first(std::int64_t pixel) const;
  std::span<const std::uint32_t> counts(Range pixels) const;
  bool in_order(Range pixels) const;
  void sort_pixel(std::size_t from, std::size_t count, std::vector<std::size_t>& order) const;
  float surface_depth(std::int64_t pixel) const;  // infinity without one
  bool has_surface(std::int64_t pixel) const;

  FragmentsView view_;
  std::uint32_t rank_;
  std::vector<std::size_t> firsts_;  // fragment, of every so many pixels
};

// Throws ArgumentError unless it is empty or has 4 values.
void check_fragment_background(std::span<const float> background);

}  // namespace sortlast
