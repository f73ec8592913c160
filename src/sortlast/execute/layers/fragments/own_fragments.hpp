// Own fragments: what one rank brings to a frame, checked, put in order pixel by pixel, and blended early
// where no other rank's fragments can come between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/fragments/counts.hpp"
#include "sortlast/execute/layers/fragments/depth_intervals.hpp"
#include "sortlast/execute/layers/fragments/fragment_lists.hpp"
#include "sortlast/execute/layers/fragments/fragment_string.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

class OwnFragments {
 public:
  // The view's memory must stay. Throws ArgumentError: spans of the wrong length, negative counts, and those
  // of FragmentExtras.
  OwnFragments(const FragmentsView& view, std::uint32_t rank);

  Size size() const { return view_.size; }
  const FragmentExtras& extras() const { return extras_; }
  const FragmentLayout& layout() const { return extras_.layout(); }
  // An upper bound of the fragments of the pixels, including the surface.
  std::size_t most(Range pixels) const;
  // The intervals of their depths, by tile.
  std::vector<DepthInterval> intervals(const DepthTiles& tiles) const;

  // The lists of the pixels, in any order: where they lie or, with a surface, in the room.
  FragmentLists list(Range pixels, ListRoom& room) const;
  // The same in order: where they lie, if they are in order there, else in the room.
  FragmentLists load(Range pixels, ListRoom& room) const;

  // Append them as a string. `limits`, if not null: blended early as far as these allow, and without what a
  // fragment of alpha 1 hides; for colours of float32.
  void encode(Range pixels, const DepthLimits* limits, Bytes& out) const;
  // Append a string that refers to them, for a rank that can read their memory. There must be no surface, and
  // no extras.
  void refer(Range pixels, Bytes& out) const;

 private:
  FragmentLists where_they_lie(Range pixels, ListRoom& room) const;
  FragmentLists as_listed(Range pixels, ListRoom& room) const;
  FragmentLists with_surface(const FragmentLists& listed, Range pixels, ListRoom& room) const;
  void encode_blended(const FragmentLists& lists, Range pixels, const DepthLimits& limits,
                      FragmentWriter& writer) const;
  float surface_depth(std::int64_t pixel) const;  // infinity without one
  bool has_surface(std::int64_t pixel) const;

  FragmentsView view_;
  std::uint32_t rank_;
  CountIndex index_;
  FragmentExtras extras_;
};

// The colours of fragments, of their scalar.
inline const std::byte* fragment_colours(const FragmentsView& view) {
  return view.scalar == Scalar::uint8 ? reinterpret_cast<const std::byte*>(view.colour_uint8.data())
                                      : reinterpret_cast<const std::byte*>(view.colour.data());
}

// Throws ArgumentError unless it is empty or has 4 values.
void check_fragment_background(std::span<const float> background);

}  // namespace sortlast
