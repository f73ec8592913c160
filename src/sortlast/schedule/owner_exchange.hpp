// Owner exchange: every rank owns a piece and receives it from all others; direct-send and shift.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule/schedule.hpp"

namespace sortlast {

// Rank number j of the ring owns piece j of p. It sends the other pieces to the ranks 1, 2, ... p-1
// places further on, and receives its own piece from those 1, 2, ... p-1 places before. Only the owner of
// a piece merges it, so who talks to whom follows the ring, whatever the depth order.
class OwnerExchange : public Algorithm {
 public:
  // With `staged` step s of the ring is stage s; else all are one stage.
  OwnerExchange(const Setting& setting, bool staged);

  Program program(std::int32_t rank) const final;
  Range piece(std::int32_t rank) const final;
  std::int32_t stages() const final;
  std::int32_t window() const final { return staged_ ? 2 : 0; }

 private:
  std::int64_t depth_of(std::int32_t rank) const;

  std::int32_t p_;
  std::int64_t n_;
  bool commutes_;
  bool staged_;
  std::vector<std::int32_t> ring_;        // place in the ring -> rank
  std::vector<std::int32_t> ring_place_;  // rank -> place in the ring
  std::vector<std::int32_t> position_;    // rank -> depth position
};

}  // namespace sortlast
