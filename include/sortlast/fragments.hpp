// Fragments: images whose pixels hold any number of fragments, each with a colour and a depth ("deep
// images").
//
// The fragments of a pixel, those of all ranks, are ordered by depth, those of equal depth by rank, and those
// of equal depth and rank as their rank lists them. -0 and 0 are equal; a NaN lies behind every other depth,
// +infinity included, and all NaN are equal.
//
// The colour of a pixel is defined to the bit, in float32, whatever the algorithm and the number of ranks
// that merge on the way:
//   1. The ordered list ends with its first fragment of alpha 1, which hides what lies behind it.
//   2. Neighbours of one rank form a run. A run is blended from front to back: r = first fragment, then for
//      each next one f: r = r + (1 - alpha of r) * f. Where the alpha of r becomes 1, the list ends, too.
//   3. The runs are blended from front to back: c = (0, 0, 0, 0), then for each run: c = c + (1 - alpha of c)
//      * r; and the background at the end likewise, if there is one.
// So fragments of one rank between which no other rank has any can be blended before they are sent.
//
// Colours of uint8 count as their value over 255 in that. They travel as they are, blended at the end alone,
// and the finished pixel is uint8, rounded once, to the nearest.
//
// Fragments may be intervals of depth, each of a medium that is even from its front to its back, as a ray's
// segment in a cell. Where they overlap they are cut at each other's ends, and what lies between the same two
// depths is mixed, as "Interpreting OpenEXR Deep Pixels" (Kainz, 2013) has it; then 1. to 3. do not hold: all
// of a pixel is blended from front to back in float64, and the colour is rounded to float32 once, before the
// background. A fragment that ends where it begins is a sheet, in front of what begins there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/export.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// One rank's fragments, in memory of the caller's: pixel by pixel in row-major order.
struct FragmentsView {
  Size size = {};                             // of the whole image, the same on all ranks
  std::span<const std::int32_t> counts = {};  // fragments of each pixel; none at all: no rank's pixel has any
  std::span<const float> colour = {};         // premultiplied red, green, blue and alpha of each
  std::span<const float> depth = {};          // of each, smaller is nearer; in any order within a pixel
  // A z-buffer image of the same size, RGBA of the scalar with a depth; null: none. Each of its pixels with a
  // depth below +infinity is one more fragment, of alpha 1 whatever the image has there, behind the rank's
  // others of the same depth.
  ConstPixels surface = {};
  // Of the colours: float32, or uint8, which are then in `colour_uint8` as `colour` has them, and those of
  // the surface; the same on all ranks.
  Scalar scalar = Scalar::float32;
  std::span<const std::uint8_t> colour_uint8 = {};
  // Whether fragments are intervals of depth, on all ranks or on none; then `depth` is where each begins, and
  // `depth_back` where it ends: there too, or at a finite depth behind. Fragments of the surface are sheets.
  bool intervals = false;
  std::span<const float> depth_back = {};
  // What else a fragment holds, kept with the merged lists and dropped where these are not kept: on all ranks
  // channels of the same names, types and widths, without rules and backgrounds, and `values` of as many
  // fragments as there are. Those of the surface are 0.
  std::span<const Channel> channels = {};
};

// Fragments in memory of their own.
struct SORTLAST_API Fragments {
  Size size = {};
  std::vector<std::int32_t> counts = {};
  std::vector<float> colour = {};
  std::vector<float> depth = {};
  Scalar scalar = Scalar::float32;
  std::vector<std::uint8_t> colour_uint8 = {};  // instead of `colour`, if the scalar is uint8
  bool intervals = false;
  std::vector<float> depth_back = {};       // of intervals
  std::vector<ChannelPlane> channels = {};  // in the order of their names; `pixels` of each are the fragments

  // Without the channels.
  FragmentsView view() const {
    return {size, counts, colour, depth, {}, scalar, colour_uint8, intervals, depth_back, {}};
  }
};

// How the fragments of one frame become one image. All ranks pass the same.
struct FragmentComposition {
  std::vector<float> background = {};  // premultiplied RGBA behind everything; empty: none
  // Whether the tile keeps the merged lists, for gather_fragments(). Without it less travels: what lies
  // behind a fragment of alpha 1 is left out, and fragments of one rank that no other rank's can come between
  // are blended early. The colours are the same bits.
  bool keep_lists = true;
  // Most bytes of fragments, 20 each or with uint8 8, 4 more for an interval and with keep_lists those of the
  // channels, and twice all that with keep_lists, that any rank may have to hold of the pixels that it
  // finishes: an equal part of the image's rows. More is an ArgumentError, on every rank, before any fragment
  // moves. 0: no limit.
  std::int64_t most_bytes = 0;
};

// The reference: merge the fragments of p ranks, one after the other, and flatten them, as written above.
// Throws ArgumentError: views of different sizes, scalars or channels, counts that are negative or do not fit
// the fragments, a background that is not of 4 values. Pixels are float32, also of colours of uint8: not
// rounded.
SORTLAST_API Fragments merge_fragments_serial(std::span<const FragmentsView> ranks);
SORTLAST_API std::vector<float> flatten_fragments_serial(std::span<const FragmentsView> ranks,
                                                         std::span<const float> background = {});

}  // namespace sortlast
