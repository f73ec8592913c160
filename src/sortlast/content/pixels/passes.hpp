// Passes: executes the merges of one rank's program.
//
// A merge is a chain of inputs in a fixed order. It proceeds in passes: each pass joins all inputs that have
// begun to arrive, in the chain's order, in one sweep over memory that follows the slowest of them. Later
// inputs are held until the next pass. A pass that is not the last leaves its pixels in the accumulator's
// scalar type, from which a later pass continues without any difference, so the bits do not depend on how the
// chain was divided into passes.
//
// An input that another merge makes for this one alone need not exist yet: if everything it is made of is
// available, the pass makes it on the way (sweep.hpp). A pass therefore belongs to the last merge that can
// proceed with it, and includes the preceding merges that have not begun.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sortlast/content/content.hpp"
#include "sortlast/content/indexed_program.hpp"
#include "sortlast/content/pixels/sweep.hpp"
#include "sortlast/content/pixels/values.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

class Passes {
 public:
  // All must outlive it.
  Passes(const IndexedProgram& program, Values& values, Pool& pool, Team& team);

  Passes(const Passes&) = delete;
  Passes& operator=(const Passes&) = delete;
  ~Passes() = default;

  void begin_frame(const Size& image);
  // Release all memory of the frame.
  void end_frame();

  // Note that a merge may be able to proceed.
  void offer(std::size_t merge) {
    if (!merges_[merge].complete) candidates_.push_back(merge);
  }

  // Blend up to `unit` pixels per thread of the available data, if there are any, and report for each input
  // which of its pixels were used up.
  static constexpr std::int64_t unit = 1 << 15;
  std::optional<Content::Work> blend(const std::function<void(Value, Range)>& used_up);

  bool done() const { return left_ == 0; }  // all merges are complete

 private:
  struct State {              // of a merge
    std::size_t joined = 0;   // number of inputs in the gathered pixels
    std::size_t joining = 0;  // end of the inputs of the current pass; == joined: no pass
    std::int64_t done = 0;    // finished pixels of the pass
    bool gathered = false;    // whether earlier passes gathered pixels, so that they are not absent
    bool gathering = false;   // the same for this pass
    bool taken_in = false;    // included in the pass of the merge that reads its value
    bool complete = false;
    PixelBuffer accumulator;  // gathered pixels, if they may not lie in the value yet

    bool in_pass() const { return joining > joined; }
    bool begun() const { return complete || joining > 0; }
  };

  std::size_t taken_in(const Merge::Input& input) const;
  template <typename Do>
  void for_each_input(std::size_t merge, const Do& call) const;
  bool there(const Merge::Input& input, std::int64_t pixel) const;
  std::size_t pass_end(std::size_t merge) const;
  std::size_t pass_of(std::size_t merge) const;
  bool start(std::size_t merge);
  void begin(std::size_t merge, std::size_t end);
  Range next_unit(std::size_t merge) const;
  Content::Work blend_unit(std::size_t merge, Range pixels, const std::function<void(Value, Range)>& used_up);
  std::int64_t join(std::size_t merge, Range pixels, bool last);
  std::size_t add_inputs(std::size_t merge, Range pixels);
  Pixels accumulate_into(std::size_t merge, bool last);
  void finish(std::size_t merge);

  const IndexedProgram& index_;
  const Program& program_;
  Values& values_;
  Pool& pool_;
  const Format gathered_;  // format of gathered pixels and of values made within a pass
  const std::int64_t unit_pixels_;
  Sweep sweep_;
  bool frame_outgrows_cache_ = false;
  std::vector<State> merges_;
  std::vector<std::size_t> candidates_;  // merges that may be able to proceed
  std::size_t left_ = 0;
};

}  // namespace sortlast
