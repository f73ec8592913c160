// Rendering: calls of the draw callback, and the parts of each tile that it drew.
#pragma once

#include <vector>

#include "context.hpp"
#include "image.hpp"
#include "request.hpp"

namespace sortlast::icet {

// This rank's part of a tile: a region of an image, with its position x, y in the tile. Null: nothing.
struct Part {
  Image* image = nullptr;
  Region region = {};
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// Allocate an image of the current formats and the requested size, in shared memory of the machine if
// possible. Does nothing if the image already matches.
void size_image(IceTContextStruct& context, Image& image, Size size);

// Draw everything that this rank has to draw in the frame with the callback, and measure the time. Returns
// one part per tile.
std::vector<Part> draw_tiles(IceTContextStruct& context);

// Pixels passed by a program, as an image that is only read. Missing colours are replaced by zeros.
Image given_image(IceTContextStruct& context, const Given& given);

// The result of draw_tiles() for an image that was drawn before, of the size of the global viewport.
std::vector<Part> tiles_of(IceTContextStruct& context, Image& drawn);

// A part as an image of the whole tile. It is copied only if it is not yet in that form, or if its read-only
// surroundings must be emptied for other machines.
Part whole_tile(IceTContextStruct& context, std::size_t tile, const Part& part);

}  // namespace sortlast::icet
