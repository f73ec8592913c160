// Images of the interface: pixels of a format that IceT knows.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "IceT.h"
#include "sortlast/image.hpp"

namespace sortlast::icet {

// Rectangle {x, y, width, height} of an image [pixels].
struct Region {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;

  bool empty() const { return width <= 0 || height <= 0; }
  Rectangle rectangle() const { return {x, y, x + width, y + height}; }
};

// What an IceTImage points to. The pixels are the context's, or a program's that are only read.
struct Image {
  IceTEnum colour_format = ICET_IMAGE_COLOR_NONE;
  IceTEnum depth_format = ICET_IMAGE_DEPTH_NONE;
  Size size = {};
  PixelBuffer pixels;
  bool read_only = false;

  IceTImage face() { return {this}; }
};

// The compositor's format for these two. Images without colours have a plane of bytes beside the depth, which
// is the least that the compositor takes.
Format format_of(IceTEnum colour_format, IceTEnum depth_format);

// Copy a region of an image into one of the same format, at `to_x`, `to_y`. It must lie in both.
void copy_region(const Image& from, const Region& region, Image& to, std::int64_t to_x, std::int64_t to_y);

// Make the pixels of a region at which nothing was drawn (a depth of 1) empty, as the compositor has them, so
// that they need not travel: no colour, an infinite depth.
void empty_background(Image& image, const Region& region);

// Make the pixels outside a region empty, whatever they hold: a frame before, or what a callback left there.
void empty_outside(Image& image, const Region& region);

// A colour as the compositor takes it for a background, such that it is stored as IceT does: a value for each
// channel, 0 for what is no number, and bytes cut off, not rounded.
std::vector<float> stored_colour(const Format& format, const std::array<float, 4>& colour);

// Make n pixels the colour, as far away as can be.
void fill_with(const Format& format, Pixels pixels, std::int64_t n, const std::array<float, 4>& colour);

}  // namespace sortlast::icet
