// Fragments: deep images, in which a pixel holds any number of fragments, each with a colour and a depth.
//
// The fragments of a pixel are ordered by depth. Fragments of equal depth are ordered by rank, and those of
// one rank keep their order in its list. -0 and 0 are equal; a NaN lies behind every other depth, including
// +infinity, and all NaN are equal.
//
// The colour of a pixel is defined to the bit, in float32, whatever the algorithm and the number of ranks
// that merge on the way:
//   1. The ordered list ends with its first fragment of alpha 1, which hides everything behind it.
//   2. Consecutive fragments of one rank form a run. A run is blended from front to back: r = first fragment,
//      then for each next one f: r = r + (1 - alpha of r) * f. If the alpha of r becomes 1, the list ends
//      here, too.
//   3. The runs are blended from front to back: c = (0, 0, 0, 0), then for each run: c = c + (1 - alpha of c)
//      * r; then the background in the same way, if there is one.
// Fragments of one rank can therefore be blended before they are sent if no other rank has fragments between
// them.
//
// Colours of type uint8 count as their value divided by 255 here. They travel unchanged and are blended only
// at the end; the finished pixel is uint8, rounded once, to nearest.
//
// Fragments may also be intervals of depth, each filled by a medium that is even from front to back, such as
// the segment of a ray in a cell. Overlapping intervals are cut at each other's ends, and pieces between the
// same two depths are mixed as in "Interpreting OpenEXR Deep Pixels" (Kainz, 2013). Rules 1 to 3 do not apply
// then: the whole pixel is blended from front to back in float64, and the colour is rounded to float32 once,
// before the background. A fragment that ends at the depth where it begins is a sheet, in front of intervals
// that begin there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/export.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// One rank's fragments, in memory owned by the caller: pixel by pixel in row-major order.
struct FragmentsView {
  Size size = {};                             // of the whole image, the same on all ranks
  std::span<const std::int32_t> counts = {};  // fragments per pixel; empty: no fragments
  std::span<const float> colour = {};         // premultiplied RGBA of each fragment
  std::span<const float> depth = {};          // of each fragment, smaller is nearer; unsorted
  // A z-buffer image of the same size, RGBA of the same scalar type with a depth; null: none. Each of its
  // pixels with a depth below +infinity is one more fragment. Its alpha counts as 1 whatever the image holds,
  // and it lies behind the rank's other fragments of equal depth.
  ConstPixels surface = {};
  // Type of the colours, including the surface's: float32, or uint8, with the colours in `colour_uint8` laid
  // out like `colour`. The same on all ranks.
  Scalar scalar = Scalar::float32;
  std::span<const std::uint8_t> colour_uint8 = {};
  // Whether the fragments are intervals of depth, on all ranks or on none. `depth` is then the front of each
  // interval and `depth_back` its back: the same depth, or a finite depth behind it. Fragments of the surface
  // are sheets.
  bool intervals = false;
  std::span<const float> depth_back = {};
  // Further values per fragment. They are kept with the merged lists, and dropped if the lists are not kept.
  // On all ranks the channels have the same names, types and widths, and no rules or backgrounds; `values`
  // covers all fragments. The values of surface fragments are 0.
  std::span<const Channel> channels = {};
};

// Fragments that own their memory.
struct SORTLAST_API Fragments {
  Size size = {};
  std::vector<std::int32_t> counts = {};
  std::vector<float> colour = {};
  std::vector<float> depth = {};
  Scalar scalar = Scalar::float32;
  std::vector<std::uint8_t> colour_uint8 = {};  // instead of `colour`, if the scalar is uint8
  bool intervals = false;
  std::vector<float> depth_back = {};       // of intervals
  std::vector<ChannelPlane> channels = {};  // sorted by name; `pixels` of each is the number of fragments

  // Without the channels.
  FragmentsView view() const {
    return {size, counts, colour, depth, {}, scalar, colour_uint8, intervals, depth_back, {}};
  }
};

// How the fragments of one frame become one image. All ranks pass the same values.
struct FragmentComposition {
  std::vector<float> background = {};  // premultiplied RGBA behind everything; empty: none
  // Whether the tile keeps the merged lists for gather_fragments(). If not, less data travels: fragments
  // behind a fragment of alpha 1 are left out, and fragments of one rank are blended early if no fragment of
  // another rank can lie between them. The colours have the same bits.
  bool keep_lists = true;
  // Maximum bytes of fragments that any rank may have to hold for the pixels that it finishes, an equal part
  // of the image's rows. A fragment counts 20 bytes (8 with uint8), 4 more if it is an interval; keep_lists
  // adds the bytes of the channels and doubles the sum. If any rank exceeds the maximum, every rank throws an
  // ArgumentError before any fragment is sent. 0: no limit.
  std::int64_t max_bytes = 0;
};

// The reference implementation: merge the fragments of p ranks in rank order, and flatten them as described
// above. Throws ArgumentError: views of different sizes, scalars or channels, counts that are negative or do
// not match the fragments, a background without 4 values. Pixels are unrounded float32, also for uint8
// colours.
SORTLAST_API Fragments merge_fragments_serial(std::span<const FragmentsView> ranks);
SORTLAST_API std::vector<float> flatten_fragments_serial(std::span<const FragmentsView> ranks,
                                                         std::span<const float> background = {});

}  // namespace sortlast
