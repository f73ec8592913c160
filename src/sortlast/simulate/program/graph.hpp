// What the actions of a program are to each other: their order, and which send each receive takes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/simulate/program.hpp"

namespace sortlast::simulate {

// The rank of every action.
std::vector<std::int32_t> ranks_of(const Program& program);

// Requirements turned round: which actions require each.
class Requirers {
 public:
  explicit Requirers(const Program& program);

  // Those that require an action, and whether only its start.
  std::span<const Program::Requirement> of(std::int32_t action) const {
    const auto a = static_cast<std::size_t>(action);
    return {requirers_.data() + first_[a], static_cast<std::size_t>(first_[a + 1] - first_[a])};
  }

 private:
  std::vector<std::int64_t> first_;
  std::vector<Program::Requirement> requirers_;
};

// Every action after those that it requires. Throws Error if some require each other in a circle.
std::vector<std::int32_t> in_order(const Program& program);

// By action: of a send or receive the number, from 0, of its sender, receiver and tag; of a computation -1.
std::vector<std::int32_t> channels_of(const Program& program);

// Whether a receive of the program takes messages from any rank or with any tag.
bool receives_any(const Program& program);

// By action: of a receive the send that it takes; else -1. The k-th receive of a pair and tag takes the k-th
// send; if a receive takes any, they match as they meet in a run of the LogGOPS model with its usual
// parameters. Throws Error if they do not match in number, or in size where no receive of the rank takes any.
std::vector<std::int32_t> matching_sends(const Program& program);

// The same from that run alone, for a program that has been checked. Throws Error if it cannot end.
std::vector<std::int32_t> matches_in_time(const Program& program);

}  // namespace sortlast::simulate
