// Owner exchange: every rank owns a piece and receives it from all others; direct-send and shift.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {

// Rank number j of the ring owns piece j of p. The ranks sit on a circle, in the ring's order: each sends the
// other pieces to the ranks 1, 2, ... places further on, and receives its own piece from those 1, 2, ...
// places before. Only the owner of a piece merges it, so who talks to whom follows the ring, whatever the
// depth order.
class OwnerExchange : public Algorithm {
 public:
  // With `staged` step s round the circle is stage s; else all are one stage. `seats` are the places of the
  // ring's ranks on a circle of `circle` places, rising; empty: the circle has p places, and none is free.
  OwnerExchange(const Setting& setting, bool staged, std::vector<std::int32_t> seats = {},
                std::int32_t circle = 0);

  Program program(std::int32_t rank) const final;
  Range piece(std::int32_t rank) const final;
  std::int32_t stages() const final;
  std::int32_t window() const final { return staged_ ? 2 : 0; }

 private:
  std::int64_t depth_of(std::int32_t rank) const;
  // Number in the ring of who sits `steps` places after `seat`; -1: the place is free.
  std::int32_t after(std::int64_t seat, std::int64_t steps) const;

  std::int32_t p_;
  std::int64_t n_;
  bool commutes_;
  bool staged_;
  std::int32_t circle_;                   // places on it
  std::vector<std::int32_t> seats_;       // number in the ring -> place on the circle
  std::vector<std::int32_t> seated_;      // place on the circle -> number in the ring, or -1
  std::vector<std::int32_t> ring_;        // number in the ring -> rank
  std::vector<std::int32_t> ring_place_;  // rank -> number in the ring
  std::vector<std::int32_t> position_;    // rank -> depth position
};

}  // namespace sortlast
