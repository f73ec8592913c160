// Box runs: neighbouring pixels of box images, and the strings that list them.
//
// A string lists runs in any order: a header and the pixels, colours and then depths, each padded to 8 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Neighbouring pixels of the frame, of one image or of several blended to one.
struct BoxRun {
  Range pixels;
  // The foremost and the rearmost of the images that were blended. The run can stand in depth where `first`
  // does: behind that, no other image has pixels in front of any that were blended.
  BoxTable::Place first = 0;
  BoxTable::Place last = 0;
  bool blended = false;  // of several images: in the scalar of accumulators
  ConstPixels stored;    // from pixels.begin on
};

// How runs are stored: as the images are, or as accumulators if several were blended.
struct BoxRunFormat {
  Format image;
  Format accumulator;

  const Format& of(bool blended) const { return blended ? accumulator : image; }
  // What a run takes in a string.
  std::size_t bytes(bool blended, std::int64_t pixels) const;
};

// Bytes of colours and of depths, padded; of depths 0 if the format has none.
std::size_t padded_colour_bytes(const Format& format, std::int64_t pixels);
std::size_t padded_depth_bytes(const Format& format, std::int64_t pixels);

// Append a run to a string of `pixels`, which are less than 2^31 and contain it.
void append_run(const BoxRunFormat& format, const BoxRun& run, Range pixels, Bytes& out);

// Append a run without its pixels, blended, and return where they belong; they are 0. Valid until `out`
// grows.
Pixels append_blended(const BoxRunFormat& format, const BoxRun& run, Range pixels, Bytes& out);

// The runs of a string of `pixels`, of images at the first `places` places. They lie where the string does.
// Throws Error if the string is damaged.
std::vector<BoxRun> parse_runs(const BoxRunFormat& format, LayerContent::String string, Range pixels,
                               std::size_t places);

// Throws Error unless a string can be of these pixels.
void check_string_pixels(Range pixels);

void sort_by_place(std::vector<BoxRun>& runs);

}  // namespace sortlast
