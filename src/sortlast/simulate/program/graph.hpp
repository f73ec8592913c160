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

// By action: of a receive the send that it takes, the k-th of its pair and tag for the k-th receive; else -1.
// Throws Error if they do not match in number and size.
std::vector<std::int32_t> matching_sends(const Program& program);

}  // namespace sortlast::simulate
