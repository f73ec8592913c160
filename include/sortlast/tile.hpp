// Tile: the finished pixels that one rank holds after compositing.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule/interleaving.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Width and height of an image, in pixels.
struct Size {
  std::int64_t width = 0;
  std::int64_t height = 0;

  std::int64_t pixels() const { return width * height; }
  bool operator==(const Size&) const = default;
};

// Throws ArgumentError unless both extents are 0 or more and the pixels' bytes can be counted.
void check_size(Size size, const Format& format);

// A stretch of pixels in memory of its own: colour, then depth if the format has it.
class PixelBuffer {
 public:
  PixelBuffer() = default;
  PixelBuffer(Pool& pool, const Format& format, std::int64_t n);
  // n pixels laid out in memory of bytes(format, n) bytes or more.
  PixelBuffer(Memory memory, const Format& format, std::int64_t n);
  // Pixels that lie at `view` in memory that is kept for as long as a copy of this exists.
  PixelBuffer(Memory memory, Pixels view) : memory_(std::move(memory)), view_(view) {}

  Pixels view() const { return view_; }
  const Memory& memory() const { return memory_; }
  static std::size_t bytes(const Format& format, std::int64_t n);

 private:
  Memory memory_;
  Pixels view_;
};

// Pixels [range.begin, range.end) in row-major order of a finished image; if there is an interleaving,
// `range` counts in its order, and the pixels lie one behind the other for all of ranges(). Copies share the
// pixels, which stay valid and unchanged for as long as a copy exists.
struct Tile {
  Range range;
  Size size;  // of the whole image
  Format format;
  PixelBuffer pixels;
  Memory shared;                             // the frame of its node, if the pixels lie in one
  std::shared_ptr<const Schedule> schedule;  // tells which rank holds which pixels
  std::shared_ptr<const void> maker;         // the compositor that made it, and
  std::int64_t frame = 0;                    // the number of its frame there
  Interleaving interleaving = {};            // none: the tile is one range of the image

  // The image's pixels that the tile holds, in its order; none for an empty tile.
  std::vector<Range> ranges() const { return interleaving.ranges(range); }
};

// A whole finished image.
struct Frame {
  Size size;
  Format format;
  PixelBuffer pixels;
};

// Move the start of a view on by `pixels` pixels.
ConstPixels advance(ConstPixels view, const Format& format, std::int64_t pixels);
Pixels advance(Pixels view, const Format& format, std::int64_t pixels);

}  // namespace sortlast
