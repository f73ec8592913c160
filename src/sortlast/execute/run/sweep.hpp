// Sweep: pixels that are blended in one pass over memory, by one chain or by several that lead into each
// other.
//
// A value that only one merge reads need not go to memory and come back: it is made block by block, in a
// block that stays in the cache of a core until it is blended. So the tree of direct-send:pairs reads each
// image once and writes the result once, as a chain of all images does.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/execute/run/pool.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/schedule.hpp"
#include "sortlast/threads.hpp"

namespace sortlast {

class Sweep {
 public:
  // Of images blended by `op`. `made`: how what is made on the way is stored; `most`: how many of it are held
  // at once, at most. The team and the pool must outlive the sweep.
  Sweep(Team& team, Pool& pool, Op op, const Format& made, std::size_t most);

  // Tell what is to be blended, as operands on a stack: pixels that are there, and what the `count` operands
  // told last, one or more, make together, which joins others from `side`.
  void begin();
  void add(const Link& pixels) { stack_.push_back({pixels}); }
  void join(std::size_t count, Side side);
  std::size_t operands() const { return stack_.size(); }

  // Blend n pixels of all operands on the stack, each thread of the team a part of them, and put a
  // background, if there is one, behind them. `out` is of `scalar`.
  void blend(Pixels out, Scalar scalar, std::int64_t n, const Background* background, Stores stores);

  // Let go of all memory.
  void end_frame() { memory_.reset(); }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Operand {
    Link link;
    std::size_t place = none;  // of what is made on the way, instead of the link's pixels
  };
  struct Step {  // operands that become one
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t place = none;  // for that; none: the output
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
  std::vector<bool> taken_;        // places that hold something for a later step
  Memory memory_;
  std::vector<Pixels> places_;             // in it, by thread and place
  std::vector<std::vector<Link>> chains_;  // by thread
};

}  // namespace sortlast
