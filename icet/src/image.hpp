// Images of the interface: pixels in IceT's formats.
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

// The target of an IceTImage. The pixels belong to the context, or to a program and are then only read.
struct Image {
  IceTEnum colour_format = ICET_IMAGE_COLOR_NONE;
  IceTEnum depth_format = ICET_IMAGE_DEPTH_NONE;
  Size size = {};
  PixelBuffer pixels;
  bool read_only = false;

  IceTImage face() { return {this}; }
};

// The compositor's format for these two. Images without colours get a plane of bytes with the depth, the
// smallest format that the compositor accepts.
Format format_of(IceTEnum colour_format, IceTEnum depth_format);

// Copy a region of an image to (`to_x`, `to_y`) of another image of the same format. It must fit into both.
void copy_region(const Image& from, const Region& region, Image& to, std::int64_t to_x, std::int64_t to_y);

// Make the pixels of a region in which nothing was drawn (a depth of 1) empty in the compositor's sense (no
// colour, infinite depth), so that they need not travel.
void empty_background(Image& image, const Region& region);

// Make all pixels outside a region empty; they may hold a previous frame or remains of a callback.
void empty_outside(Image& image, const Region& region);

// A colour as a background of the compositor, one value per channel, that is stored as in IceT: NaN becomes
// 0, and bytes are truncated, not rounded.
std::vector<float> stored_colour(const Format& format, const std::array<float, 4>& colour);

// Fill n pixels with the colour, at the maximum depth.
void fill_with(const Format& format, Pixels pixels, std::int64_t n, const std::array<float, 4>& colour);

}  // namespace sortlast::icet
