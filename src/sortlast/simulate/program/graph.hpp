// Relations between the actions of a program: their order, and the send matched with each receive.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/simulate/program.hpp"

namespace sortlast::simulate {

// The rank of every action.
std::vector<std::int32_t> ranks_of(const Program& program);

// Requirements inverted: the actions that require each action.
class Requirers {
 public:
  explicit Requirers(const Program& program);

  // The actions that require an action, and whether they require only its start.
  std::span<const Program::Requirement> of(std::int32_t action) const {
    const auto a = static_cast<std::size_t>(action);
    return {requirers_.data() + first_[a], static_cast<std::size_t>(first_[a + 1] - first_[a])};
  }

 private:
  std::vector<std::int64_t> first_;
  std::vector<Program::Requirement> requirers_;
};

// Every action after its requirements. Throws Error if some require each other in a circle.
std::vector<std::int32_t> in_order(const Program& program);

// By action: for a send or receive the number, from 0, of its sender, receiver and tag; for a computation -1.
std::vector<std::int32_t> channels_of(const Program& program);

// Whether a receive of the program accepts messages from any rank or with any tag.
bool receives_any(const Program& program);

// By action: for a receive the send matched with it; else -1. The k-th receive of a pair and tag matches the
// k-th send. If a receive accepts any message, they match as they meet in a run of the LogGOPS model with its
// default parameters. Throws Error if they do not match in number, or in size if no receive of the rank
// accepts any.
std::vector<std::int32_t> matching_sends(const Program& program);

// The same from that run alone, for a program that has been checked. Throws Error if it cannot end.
std::vector<std::int32_t> matches_in_time(const Program& program);

}  // namespace sortlast::simulate
