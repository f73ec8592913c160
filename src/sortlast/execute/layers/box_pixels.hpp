// Box pixels: neighbouring pixels of box images, and the strings that list them.
//
// The pixels of a box that lie in a range of the frame's are neighbours in the image, too: whole rows, but
// for the first and the last. So one header and one copy take them into a string, however many rows they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Neighbouring pixels of one image, or of several blended to one.
struct BoxPixels {
  // The foremost and the rearmost of the images that were blended. The part can stand in depth where `first`
  // does: behind that, no other image has pixels in front of any that were blended.
  BoxTable::Place first = 0;
  BoxTable::Place last = 0;
  bool blended = false;  // of several images: in the scalar of accumulators
  Rectangle box;         // of the image, or the hull of those that were blended
  Range stored;          // which of the box's pixels, row by row
  ConstPixels pixels;    // from stored.begin on
};

// Samples by which to tell how much of each of so many images is empty: all together a few thousand.
inline std::int64_t samples_of_each(std::size_t images) {
  constexpr std::int64_t together = 4096;
  constexpr std::int64_t least = 16;
  return std::max(least, together / std::max<std::int64_t>(1, static_cast<std::int64_t>(images)));
}

// Which pixels of a box, row by row, lie in a range of the frame's pixels; may be empty.
Range pixels_of_box(const Rectangle& box, Range pixels, std::int64_t frame_width);

// The pixels of a part that lie in the range; may have none.
BoxPixels clipped(BoxPixels part, Range pixels, std::int64_t frame_width, const Format& stored);

// Call action(pixels of the frame, number of the first among those of the part) for each row of a part.
template <typename Action>
void for_each_row(const BoxPixels& part, std::int64_t frame_width, const Action& action) {
  const std::int64_t columns = part.box.x1 - part.box.x0;
  std::int64_t at = part.stored.begin;
  if (at >= part.stored.end) return;
  for (std::int64_t row = at / columns; at < part.stored.end; ++row) {
    const std::int64_t end = std::min((row + 1) * columns, part.stored.end);
    const std::int64_t begin = (part.box.y0 + row) * frame_width + part.box.x0 + at - row * columns;
    action(Range{begin, begin + end - at}, at - part.stored.begin);
    at = end;
  }
}

// How parts are stored: as the images are, or as accumulators if several were blended.
struct BoxPixelFormat {
  Format image;
  Format accumulator;

  const Format& of(bool blended) const { return blended ? accumulator : image; }
  // What a part takes in a string.
  std::size_t bytes(bool blended, std::int64_t pixels) const;
};

// Bytes of colours and of depths, padded; of depths 0 if the format has none.
std::size_t padded_colour_bytes(const Format& format, std::int64_t pixels);
std::size_t padded_depth_bytes(const Format& format, std::int64_t pixels);

// Append a part to a string.
void append_part(const BoxPixelFormat& format, const BoxPixels& part, Bytes& out);

// Append a part without its pixels, blended, and return where they belong: they are undefined. Valid until
// `out` grows.
Pixels append_blended(const BoxPixelFormat& format, const BoxPixels& part, Bytes& out);

// Images of a rank, as far as they lie in these pixels, that are to be read where they lie.
struct BoxReference {
  std::int32_t rank = 0;
  Range pixels;
};

// Append a reference; nothing if it is of no pixels.
void append_reference(const BoxReference& reference, Bytes& out);

// What a string lists.
struct BoxString {
  std::vector<BoxPixels> parts;  // their pixels lie where the string does
  std::vector<BoxReference> references;
};

// Add what a string of `pixels`, or of some of them, lists to `found`. Throws Error if the string is damaged.
void read_string(const BoxPixelFormat& format, LayerContent::String string, Range pixels,
                 const BoxTable& table, BoxString& found);

// Front to back, those of one place as they come; there are so many `places`.
void sort_by_place(std::vector<BoxPixels>& parts, std::size_t places);

}  // namespace sortlast
