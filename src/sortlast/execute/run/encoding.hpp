// Parcel: a chunk of pixels on its way from one rank to another.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// How pixels travel; the same on every rank.
struct WireOptions {
  std::int64_t chunk_bytes = 1 << 20;  // of dense pixels, that one message carries at most
  bool sparse = true;                  // leave out empty pixels where that pays, chunk by chunk
  bool half = false;                   // colours of float32 images travel as float16

  // Pixels of a chunk of an image format: at least 1024, and a multiple of that.
  std::int64_t chunk_pixels(const Format& format) const;
  // What pixels that are held as `format` by images of `image` travel as.
  Format on_the_wire(Format format, const Format& image) const;
};

// What a message holds, told apart by its length alone: nothing (none of the ranks that it stands for had an
// image), packed pixels (fewer bytes than the colours of all), or all pixels.
enum class Content : std::uint8_t { absent, sparse, dense };

struct Outgoing {
  Content content = Content::absent;
  Format format;            // as sent
  std::int64_t count = 0;   // pixels that it stands for
  ConstPixels pixels = {};  // dense: colour and depth; sparse: packed bytes at `colour`
  std::size_t packed = 0;   // bytes of them
  Memory memory = {};       // where they are, if they are not the sender's own pixels

  std::size_t colour_bytes() const;  // of the message with colours, or packed pixels
  std::size_t depth_bytes() const;   // of the message with depths that follows if the format has them
};

// Room for a message: `count` dense pixels of `format`.
struct Incoming {
  Format format;
  std::int64_t count = 0;
  Pixels room;

  Content content(std::size_t colour_bytes) const;
};

// A stretch of an image or value that is to be sent: `pixels` holds `count` of them. If `boxed`, those
// outside `runs` (counted from the stretch's pixel 0) are known to be empty. If `scattered`, it is boxed, and
// each run lies where its `at` says.
struct Load {
  Format format;
  ConstPixels pixels;
  std::int64_t count = 0;
  bool boxed = false;
  bool scattered = false;
  std::span<const ActiveRun> runs = {};
};

// Make the message for a load: where it lies if it travels as it is, else in memory of the pool.
Outgoing encode(const WireOptions& wire, const Format& image, const Load& load, Pool& pool);

// The rows of a rectangle that meet pixels [begin, end) of a row-major image, as runs of its pixels counted
// from `begin`; `at` is counted from `origin`.
std::vector<ActiveRun> rows_of(const Rectangle& rectangle, Size size, Range pixels, std::int64_t origin);

// The same of a schedule's pixels [begin, end), which lie in the image as the interleaving says; all of them
// if there is no rectangle.
std::vector<ActiveRun> runs_of(const Interleaving& interleaving, const std::optional<Rectangle>& rectangle,
                               Size size, Range pixels, std::int64_t origin);

}  // namespace sortlast
