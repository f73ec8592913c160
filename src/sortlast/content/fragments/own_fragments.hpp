// Own fragments: one rank's contribution to a frame: checked, sorted pixel by pixel, and blended early where
// no other rank's fragments can lie in between.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/fragments/counts.hpp"
#include "sortlast/content/fragments/depth_intervals.hpp"
#include "sortlast/content/fragments/fragment_lists.hpp"
#include "sortlast/content/fragments/fragment_string.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

class OwnFragments {
 public:
  // The view's memory must stay valid. Throws ArgumentError for spans of the wrong length, for negative
  // counts, and as FragmentExtras does.
  OwnFragments(const FragmentsView& view, std::uint32_t rank);

  Size size() const { return view_.size; }
  const FragmentExtras& extras() const { return extras_; }
  const FragmentLayout& layout() const { return extras_.layout(); }
  // An upper bound on the number of fragments of the pixels, including the surface.
  std::size_t most(Range pixels) const;
  // The depth intervals of all fragments, by tile.
  std::vector<DepthInterval> intervals(const DepthTiles& tiles) const;

  // The lists of the pixels in any order: in place or, with a surface, in `room`.
  FragmentLists list(Range pixels, ListRoom& room) const;
  // The same in order: in place if they are sorted, otherwise in `room`.
  FragmentLists load(Range pixels, ListRoom& room) const;

  // Append the lists as a string. `limits`, if not null: blend early as far as they allow, and drop fragments
  // hidden by one with alpha 1; for colours of float32 only.
  void encode(Range pixels, const DepthLimits* limits, Bytes& out) const;
  // Append a string that refers to the lists, for a rank that can read their memory. Requires that there is
  // no surface and that there are no extras.
  void refer(Range pixels, Bytes& out) const;

 private:
  FragmentLists where_they_lie(Range pixels, ListRoom& room) const;
  FragmentLists as_listed(Range pixels, ListRoom& room) const;
  FragmentLists with_surface(const FragmentLists& listed, Range pixels, ListRoom& room) const;
  void encode_blended(const FragmentLists& lists, Range pixels, const DepthLimits& limits,
                      FragmentWriter& writer) const;
  float surface_depth(std::int64_t pixel) const;  // infinity if there is none
  bool has_surface(std::int64_t pixel) const;

  FragmentsView view_;
  std::uint32_t rank_;
  CountIndex index_;
  FragmentExtras extras_;
};

// The colours of fragments, in their scalar type.
inline const std::byte* fragment_colours(const FragmentsView& view) {
  return view.scalar == Scalar::uint8 ? reinterpret_cast<const std::byte*>(view.colour_uint8.data())
                                      : reinterpret_cast<const std::byte*>(view.colour.data());
}

// Throws ArgumentError unless the background is empty or has 4 values.
void check_fragment_background(std::span<const float> background);

}  // namespace sortlast
