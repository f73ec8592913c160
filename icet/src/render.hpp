// Rendering: calls of the draw callback, and what they drew of each tile.
#pragma once

#include <vector>

#include "context.hpp"
#include "image.hpp"
#include "request.hpp"

namespace sortlast::icet {

// What this rank has of a tile: a region of an image that belongs at x, y of the tile. Null: nothing.
struct Part {
  Image* image = nullptr;
  Region region = {};
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Make an image of the current formats as large as asked, in memory that other ranks of the machine can read
// where there is some left; nothing is done if it is so already.
void size_image(IceTContextStruct& context, Image& image, Size size);

// Draw all that this rank has to draw of the frame, by the callback, and time it. A part of each tile.
std::vector<Part> draw_tiles(IceTContextStruct& context);

// Pixels that a program has given, as an image that is only read; where there are no colours, zeros in their
// place.
Image given_image(IceTContextStruct& context, const Given& given);

// What draw_tiles() returns, of an image that was drawn before, of the size of the global viewport.
std::vector<Part> tiles_of(IceTContextStruct& context, Image& drawn);

// A part as an image of the whole tile, copied only if it does not lie so already; or if what lies outside it
// has to be emptied for other machines, and may not.
Part whole_tile(IceTContextStruct& context, std::size_t tile, const Part& part);

}  // namespace sortlast::icet
