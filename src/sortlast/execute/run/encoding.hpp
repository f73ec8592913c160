// Encoding: how the pixels of one chunk become a message, and what a message holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"
#include "sortlast/schedule/interleaving.hpp"

namespace sortlast {

// Pixels of one chunk as they are sent.
struct EncodedPixels {
  Coding coding = Coding::absent;
  Format format;            // as sent
  std::int64_t count = 0;   // pixels that it stands for
  ConstPixels pixels = {};  // dense: colour and depth; sparse: packed bytes at `colour`
  std::size_t packed = 0;   // bytes of them
  Memory memory = {};       // where they are, if they are not the sender's own pixels
  double search = 0;        // what looking for active pixels took [s]

  std::size_t colour_bytes() const;  // of the plane of colours, or packed pixels
  std::size_t depth_bytes() const;   // of the plane of depths that follows if the format has them
  Outgoing message() const;
};

// Room for the pixels of one chunk: `count` dense pixels of `format`.
struct PixelRoom {
  Format format;
  std::int64_t count = 0;
  Pixels room;

  std::size_t dense_colour_bytes() const { return static_cast<std::size_t>(count) * format.colour_bytes(); }
  // What arrived in it.
  Coding coding(std::size_t colour_bytes) const;
  Incoming planes() const;
};

// Pixels that are to be sent: `pixels` holds `count` of them. If `boxed`, those outside `runs` (counted from
// the first) are known to be empty. If `scattered`, it is boxed, and each run lies where its `at` says.
struct Payload {
  Format format;
  ConstPixels pixels;
  std::int64_t count = 0;
  bool boxed = false;
  bool scattered = false;
  std::span<const ActiveRun> runs = {};
};

// Make the message for a payload: where it lies if it travels as it is, else in memory of the pool. `image`
// is the format of the images.
EncodedPixels encode(const WireOptions& wire, const Format& image, const Payload& payload, Pool& pool);

// The rows of a rectangle that meet pixels [begin, end) of a row-major image, as runs of its pixels counted
// from `begin`; `at` is counted from `origin`.
std::vector<ActiveRun> rows_of(const Rectangle& rectangle, Size size, Range pixels, std::int64_t origin);

// The same of a schedule's pixels [begin, end), which lie in the image as the interleaving says; all of them
// if there is no rectangle.
std::vector<ActiveRun> runs_of(const Interleaving& interleaving, const std::optional<Rectangle>& rectangle,
                               Size size, Range pixels, std::int64_t origin);

}  // namespace sortlast
