// Values: the contents of each value of a program in a frame, where they are stored, and for how long.
//
// The rank's own image and readable images of other ranks are used in place. A received value is stored in
// parts, one per message, each in a separate block that is released as soon as the part has been used up. A
// merged value is stored in one piece or, if a pass makes it on the way, not at all. If its chain starts with
// another merged value that nothing else needs at those pixels, it continues in that value's memory, so that
// a rank of a swap algorithm holds no more than its first half, and a rank of a tree no more than one image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/encoding.hpp"
#include "sortlast/content/pixels/image_reader.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// One rank's contribution to a frame.
struct Contribution {
  ImageView image;
  const Background* background = nullptr;  // blended behind the result, unless null
  PixelBuffer result = {};                 // memory for the finished pixels; empty: anywhere
  Interleaving interleaving = {};          // maps the program's pixels to images of fewer than 2^32 pixels
};

class Values {
 public:
  // Both arguments must outlive the values.
  Values(const IndexedProgram& program, Pool& pool);

  // Reset the last frame, and start one; the contribution must stay valid until its result is taken.
  void begin_frame(const Contribution& own);
  // Release all memory of the frame.
  void end_frame();

  // Read the image of a receive in place.
  void refer(Value value, Reference reference);
  // Whether no rank that the value represents had an image. Known once any of it has arrived.
  bool absent(Value value) const { return state(value).absent; }
  void set_absent(Value value, bool absent) { state(value).absent = absent; }

  // The end of the available pixels from `pixel` on; `pixel` if it is not available.
  std::int64_t ready_until(Value value, std::int64_t pixel) const;
  bool ready(Value value, Range pixels) const;
  // The end of the pixels from `pixel` on that a single link can represent.
  std::int64_t contiguous_until(Value value, std::int64_t pixel) const;
  // Pixels of a value that is not absent; they must be contiguous. Memory copied for them stays valid until
  // the next begin_unit().
  void begin_unit() { images_.begin_unit(); }
  Link link(Value value, Range pixels, Side side);

  // Messages: the buffer for part `number` of a received value; the arrival of `colour_bytes` in it; and
  // pixels in the form in which they are sent.
  PixelRoom room_for(Value value, std::int64_t number);
  void arrived(Value value, std::int64_t number, std::size_t colour_bytes);
  EncodedPixels encoded(Value value, Range pixels);

  // Merges: the address of `pixel` and the following pixels of a value, and how far a merge has written them.
  Pixels target(Value value, std::int64_t pixel);
  void merged(std::size_t merge, std::int64_t until) { merged_until_[merge] = until; }

  // A merge or send no longer needs some pixels of a value. Returns how many parts that uses up.
  std::int64_t use_up(Value value, Range pixels);
  // A merge or send no longer needs a value.
  void release(Value value);

  // The background that merges blend behind the pixels of a value; null: none.
  const Background* background_of(Value value) const {
    return value == program_.program.result ? own_->background : nullptr;
  }

  // The finished pixels; see fill_absent() for pixels of no image. Call once.
  PixelBuffer take_result();

 private:
  struct State {  // of a value
    bool absent = false;
    bool referred = false;  // whether it is an image that is read in place
    int uses = 0;           // remaining sends and merges that need it
    PixelBuffer memory;     // if merged
  };
  struct Part {  // a part of a received value, brought by one message
    Memory memory;
    ConstPixels pixels;
    bool sparse = false;
    std::span<const ActiveRun> runs;
    bool there = false;
    std::int64_t uses = 0;  // pixels times the remaining merges and sends that need them
  };

  State& state(Value value) { return states_[static_cast<std::size_t>(value)]; }
  const State& state(Value value) const { return states_[static_cast<std::size_t>(value)]; }
  Value memory_before(Value value) const;
  void materialise(Value value, Range pixels, Pixels to);

  const IndexedProgram& program_;
  Pool& pool_;
  const Contribution* own_ = nullptr;
  PixelBuffer result_;  // memory for the finished pixels
  ImageReader images_;
  std::vector<State> states_;
  std::vector<Part> parts_;                 // of all values, as the program numbers them
  std::vector<std::int64_t> merged_until_;  // of each merge: pixels before it are final
};

}  // namespace sortlast
