// Encoding: turns the pixels of one chunk into a message and back.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// Pixels of one chunk in the form in which they are sent.
struct EncodedPixels {
  Coding coding = Coding::absent;
  Format format;            // as sent
  std::int64_t count = 0;   // number of pixels it represents
  ConstPixels pixels = {};  // dense: colour and depth; sparse: packed bytes at `colour`
  std::size_t packed = 0;   // size of the packed pixels [bytes]
  Memory memory = {};       // owner of `pixels`, if not the sender's own
  double search = 0;        // time of the search for active pixels [s]

  std::size_t colour_bytes() const;  // of the plane of colours, or of packed pixels
  std::size_t depth_bytes() const;   // of the plane of depths, if the format has them
  Outgoing message() const;
};

// Buffer for the pixels of one chunk: `count` dense pixels of `format`.
struct PixelRoom {
  Format format;
  std::int64_t count = 0;
  Pixels room;

  std::size_t dense_colour_bytes() const { return static_cast<std::size_t>(count) * format.colour_bytes(); }
  // The coding of the message that arrived in it.
  Coding coding(std::size_t colour_bytes) const;
  Incoming planes() const;
};

// Pixels to be sent: `pixels` holds `count` of them. If `boxed`, pixels outside `runs` (counted from the
// first) are known to be empty. If `scattered`, the payload is boxed, and the `at` of each run gives its
// position.
struct Payload {
  Format format;
  ConstPixels pixels;
  std::int64_t count = 0;
  bool boxed = false;
  bool scattered = false;
  std::span<const ActiveRun> runs = {};
};

// Make the message for a payload: in place if it travels unchanged, else in memory of the pool. `image` is
// the format of the images.
EncodedPixels encode(const WireOptions& wire, const Format& image, const Payload& payload, Pool& pool);

// The parts of a rectangle's rows within pixels [begin, end) of a row-major image, as runs counted from
// `begin`; `at` is counted from `origin`.
std::vector<ActiveRun> rows_of(const Rectangle& rectangle, Size size, Range pixels, std::int64_t origin);

// The same for the schedule's pixels [begin, end), mapped to the image by the interleaving. Without a
// rectangle, all of these pixels.
std::vector<ActiveRun> runs_of(const Interleaving& interleaving, const std::optional<Rectangle>& rectangle,
                               Size size, Range pixels, std::int64_t origin);

}  // namespace sortlast
