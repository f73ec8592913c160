// Sweep: blends pixels in one pass over memory, by one chain or by several chains that feed into each other.
//
// A value that only one merge reads need not be written to memory and read back: it is made block by block,
// in a block that stays in a core's cache until it is blended. The tree of direct-send:pairs thus reads each
// image once and writes the result once, like a chain of all images.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

class Sweep {
 public:
  // For images blended by `op`. `made`: storage format of intermediate values; `most`: maximum number of them
  // held at once. The team and the pool must outlive the sweep.
  Sweep(Team& team, Pool& pool, Op op, const Format& made, std::size_t most);

  // Describe the blend, as operands on a stack: add() pushes available pixels; join() replaces the last
  // `count` operands, one or more, by their combination, which is then joined with others from `side`.
  void begin();
  void add(const Link& pixels) { stack_.push_back({pixels}); }
  void join(std::size_t count, Side side);
  std::size_t operands() const { return stack_.size(); }

  // Blend n pixels of all operands on the stack, divided among the threads of the team, and put the
  // background, if there is one, behind them. `out` has the scalar type `scalar`.
  void blend(Pixels out, Scalar scalar, std::int64_t n, const Background* background, Stores stores);

  // Release all memory.
  void end_frame() { memory_.reset(); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Operand {
    Link link;
    std::size_t place = none;  // of an intermediate value, used instead of the link's pixels
  };
  struct Step {  // operands that are combined
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t place = none;  // of the result; none: the output
  };
  struct Output {
    Pixels pixels;
    Scalar scalar;
    const Background* background;
    Stores stores;
  };

  void end_step(std::size_t count, std::size_t place);
  void make_room();
  void blend_part(const Output& out, Range part, std::size_t thread);
  void blend_block(const Output& out, Range block, const Pixels* places, std::vector<Link>& chain);

  Team& team_;
  Pool& pool_;
  Op op_;
  Format made_;
  std::int64_t block_;  // pixels
  std::vector<Operand> stack_;
  std::vector<Operand> operands_;  // of the steps
  std::vector<Step> steps_;        // in order
  std::vector<bool> taken_;        // whether a place holds a value for a later step
  Memory memory_;
  std::vector<Pixels> places_;             // within memory_, by thread and place
  std::vector<std::vector<Link>> chains_;  // by thread
};

}  // namespace sortlast
