// Values: what each value of a program holds in a frame, where, and for how long.
//
// The rank's own image and images of other ranks that can be read are used where they lie. A received value
// lies in parts, one a message, each in memory of its own, which is given back as soon as the part has been
// used up. A merged value lies in one piece, or, if a pass makes it on its way, nowhere; where its chain
// starts with another merged value that nobody else needs at those pixels, it goes on in that value's memory,
// so that a rank of a swap holds no more than its first half, and one of a tree no more than one image.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/plan/plan.hpp"
#include "sortlast/execute/run/encoding.hpp"
#include "sortlast/execute/run/image_reader.hpp"
#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// What a rank brings to a frame.
struct Contribution {
  ImageView image;
  const Background* background = nullptr;  // put behind the result, unless null
  PixelBuffer result = {};                 // where the finished pixels are to be put; empty: anywhere
  Interleaving interleaving = {};  // how images, of less than 2^32 pixels then, hold the program's pixels
};

class Values {
 public:
  // Both must outlive the values.
  Values(const IndexedProgram& program, Pool& pool);

  // Forget the last frame, and start one; the contribution must stay until its result is taken.
  void begin_frame(const Contribution& own);
  // Let go of all memory of the frame.
  void end_frame();

  // The image that a receive stands for is read where it lies.
  void refer(Value value, Reference reference);
  // No rank that the value stands for had an image. Known once any of it is there.
  bool absent(Value value) const { return state(value).absent; }
  void set_absent(Value value, bool absent) { state(value).absent = absent; }

  // Where the pixels from `pixel` on that are there end; `pixel` if it is not.
  std::int64_t ready_until(Value value, std::int64_t pixel) const;
  bool ready(Value value, Range pixels) const;
  // Where the pixels from `pixel` on that one link can show end.
  std::int64_t contiguous_until(Value value, std::int64_t pixel) const;
  // Pixels of a value that is not absent; they must be contiguous. What had to be copied for it stays until
  // the next begin_unit().
  void begin_unit() { images_.begin_unit(); }
  Link link(Value value, Range pixels, Side side);

  // Messages: room for part `number` of a received value; what came there, of `colour_bytes`; and pixels as
  // they are sent.
  PixelRoom room_for(Value value, std::int64_t number);
  void arrived(Value value, std::int64_t number, std::size_t colour_bytes);
  EncodedPixels encoded(Value value, Range pixels);

  // Merges: where a value's pixel `pixel` and those behind it are put, and up to where a merge has put them.
  Pixels target(Value value, std::int64_t pixel);
  void merged(std::size_t merge, std::int64_t until) { merged_until_[merge] = until; }

  // A merge or send is through with some pixels of a value. Returns how many parts were used up by that.
  std::int64_t use_up(Value value, Range pixels);
  // A merge or send is through with a value.
  void release(Value value);

  // What is put behind the pixels of a value, as merges finish them; null: nothing.
  const Background* background_of(Value value) const {
    return value == program_.program.result ? own_->background : nullptr;
  }

  // The finished pixels; see fill_absent() for those of no image. Call once.
  PixelBuffer take_result();

 private:
  struct State {  // of a value
    bool absent = false;
    bool referred = false;  // if an image that is read where it lies
    int uses = 0;           // sends and merges that still need it
    PixelBuffer memory;     // if merged
  };
  struct Part {  // what one message brought of a received value
    Memory memory;
    ConstPixels pixels;
    bool sparse = false;
    std::span<const ActiveRun> runs;
    bool there = false;
    std::int64_t uses = 0;  // pixels times the merges and sends that still need them
  };

  State& state(Value value) { return states_[static_cast<std::size_t>(value)]; }
  const State& state(Value value) const { return states_[static_cast<std::size_t>(value)]; }
  Value memory_before(Value value) const;
  void materialise(Value value, Range pixels, Pixels to);

  const IndexedProgram& program_;
  Pool& pool_;
  const Contribution* own_ = nullptr;
  PixelBuffer result_;  // where the finished pixels are put
  ImageReader images_;
  std::vector<State> states_;
  std::vector<Part> parts_;                 // of all values, as the program numbers them
  std::vector<std::int64_t> merged_until_;  // of each merge: pixels before it are final
};

}  // namespace sortlast
