// IndexedProgram: one rank's program of a schedule, with everything about it that no frame changes.
//
// Which steps need a value and for how long, how and where it is stored, into how many messages a transfer is
// cut: computing this costs more than compositing a small image. It is therefore kept in an index, and an
// Engine (execute/engine/engine.hpp) holds only the state that changes during a frame.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/schedule/between.hpp"

namespace sortlast {

// Maximum number of pixels per message: MPI counts its bytes, of colours or of depths, in an int.
inline std::int64_t max_message_pixels(const Format& format) {
  return std::numeric_limits<int>::max() /
         static_cast<std::int64_t>(std::max(format.colour_bytes(), sizeof(float)));
}

// How pixels travel between ranks; the same on every rank.
struct WireOptions {
  std::int64_t chunk_bytes = 1 << 20;  // maximum of dense pixels in one message
  bool sparse = true;                  // leave out empty pixels where that pays, chunk by chunk
  bool half = false;                   // colours of float32 images travel as float16
  double most_active = 0.75;           // maximum share of active pixels in a chunk at which that pays

  // Pixels per chunk of images of `format` that are composited by `op`: a multiple of 1024, at least 1024,
  // and few enough for one message even if partial results travel in a wider format than the images.
  std::int64_t chunk_pixels(const Format& format, Op op) const {
    constexpr std::int64_t step = 1024;
    const Format widest{partial_scalar(format.scalar, op), format.channels, format.depth};
    const std::int64_t pixels =
        std::min(chunk_bytes / static_cast<std::int64_t>(format.pixel_bytes()), max_message_pixels(widest));
    return std::max(pixels / step, std::int64_t{1}) * step;
  }

  // The format in which pixels stored as `format` travel, for images of format `image`.
  Format on_the_wire(Format format, const Format& image) const {
    if (half && image.scalar == Scalar::float32) format.scalar = Scalar::float16;
    return format;
  }
};

// A value of the program: its storage format, and its uses.
struct IndexedValue {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Range pixels;
  Format format;
  int uses = 0;                      // sends by message and merges that read it
  std::vector<std::size_t> sends;    // by message
  std::vector<std::size_t> readers;  // merges that read it
  std::vector<std::size_t> writers;  // merges that write into it
  Value alias = -1;                  // its merges may continue in this value's memory
  Between between;             // merges that a pass may include, so that the value is never stored in memory
  std::size_t image = none;    // index among the images that are read in place
  std::size_t receive = none;  // the receive that brings it by messages, in parts:
  std::size_t first_part = 0;  // index of the first among the parts of all values
  std::size_t parts = 0;       // one per message
};

// A send or receive.
struct IndexedTransfer {
  bool spared = false;      // no message: the receiver reads the sender's own image or string in place
  std::int64_t chunks = 0;  // number of messages; 1 or more
  std::int64_t window = 0;  // maximum number under way at once
};

// One rank's program for one kind of image, with everything known about it before a frame.
struct IndexedProgram {
  // Maximum number of chunks of a transfer under way at once, at each end, to keep the memory for messages
  // small.
  static constexpr std::int64_t window = 3;
  // Maximum number of values between merges that a pass may hold at once. Further values go to memory.
  static constexpr std::size_t may_hold = 64;

  // The program of `rank`, for images of `image` that are composited by `op`. Ranks that the schedule's
  // setting puts on one node read each other's images. A content of fixed size other than images depends on
  // the two only through chunk_pixels; it can pass Format() and Op::add.
  IndexedProgram(const Schedule& schedule, std::int32_t rank, const Format& image, Op op,
                 const WireOptions& wire);
  // The program of `rank` for contents of varying size: each transfer is one chunk, announced with its size.
  IndexedProgram(const Schedule& schedule, std::int32_t rank);

  Program program;
  std::int32_t stage_window;  // maximum number of stages in progress at once; 0: no limit
  bool announced = false;     // of varying size: announced by the head of a string
  Format image;
  Op op;
  WireOptions wire;
  std::int64_t chunk_pixels;
  std::vector<IndexedValue> values;       // as program.values
  std::vector<IndexedTransfer> sends;     // as program.sends
  std::vector<IndexedTransfer> receives;  // as program.receives
  std::vector<std::int64_t> part_uses;    // pixels of each part times the merges and sends that need them
  std::size_t images = 1;                 // images read in place: the rank's own is number 0
  std::size_t most_held = 0;              // maximum number of values between merges that a pass holds at once

  const IndexedValue& value(Value value) const { return values[static_cast<std::size_t>(value)]; }

  std::int64_t chunks(Range pixels) const;                                   // of a transfer; 1 or more
  Range chunk_of(Range pixels, std::int64_t number) const;                   // pixels of a chunk
  std::size_t part_at(const IndexedValue& value, std::int64_t pixel) const;  // index among the value's parts

 private:
  void spare_transfers(const Setting& setting);
  void list_uses();
  void store();
  void cut_into_parts();
  void find_aliases();
  void find_values_between();
  bool may_alias(Value target, Value source) const;
  void receive_ahead();
  bool needed_late(std::size_t receive, const std::vector<std::int32_t>& stages) const;
};

}  // namespace sortlast
