// Rank causes: the numbers of one rank's messages and computations, and what they wait for.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/simulate/compositing/rank_plan.hpp"

namespace sortlast::simulate {

// The messages of a rank are followed by its blending, step by step, and by a gate and an end for each of its
// stages.
class RankCauses {
 public:
  using Message = Traffic::Message;

  // `first`: number of the rank's first message; `received`: that of the first message of each receive. The
  // plan must outlive this.
  RankCauses(const RankPlan& plan, Message first, std::vector<Message> received);

  Message step(std::size_t i) const { return first_step_ + static_cast<Message>(i); }
  Message gate(std::size_t k) const { return first_gate_ + static_cast<Message>(2 * k); }
  Message end(std::size_t k) const { return gate(k) + 1; }
  // Where a stage is among those in which the rank takes part.
  std::size_t place(std::int32_t stage) const;

  // Adds what makes a part of a value, in one cell: a message, the last blending of it, or nothing (the
  // rank's own image).
  void need(Value value, Range pixels, std::vector<Message>& causes) const;
  // Adds the last blending for which the messages of stages before `stage` are enough.
  void blended_before(std::int32_t stage, std::vector<Message>& causes) const;
  // Adds the messages of a stage, both ways.
  void transfers_of(std::int32_t stage, std::vector<Message>& causes) const;

 private:
  const RankPlan& plan_;
  std::vector<Message> received_;
  Message first_part_, first_step_, first_gate_;
  std::vector<std::int32_t> arrival_;               // by value: the receive that brings it; -1: none
  std::vector<std::vector<std::int32_t>> writers_;  // by value: steps that write it
};

}  // namespace sortlast::simulate
