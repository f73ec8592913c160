// Waiters: which queues wait in each group, as a set of ports in bits.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "sortlast/simulate/packet/network.hpp"

namespace sortlast::simulate {

class Waiters {
 public:
  Waiters(std::size_t groups, std::uint32_t most_ports)
      : words_((most_ports + 63) / 64), bits_(groups * words_) {}

  void add(Group g, std::uint32_t port) { word(g, port) |= std::uint64_t{1} << (port % 64); }
  void remove(Group g, std::uint32_t port) { word(g, port) &= ~(std::uint64_t{1} << (port % 64)); }

  // The n-th waiting port from 0; there must be that many.
  std::uint32_t nth(Group g, std::uint32_t n) const {
    const std::uint64_t* at = bits_.data() + std::size_t{g} * words_;
    std::uint32_t base = 0;
    for (; words_ > 1; ++at, base += 64) {
      const auto here = static_cast<std::uint32_t>(std::popcount(*at));
      if (n < here) break;
      n -= here;
    }
    std::uint64_t bits = *at;
    for (; n > 0; --n) bits &= bits - 1;
    return base + static_cast<std::uint32_t>(std::countr_zero(bits));
  }

  // Calls `visit` with every waiting port, in rising order.
  template <class Visit>
  void for_each(Group g, const Visit& visit) const {
    for (std::uint32_t w = 0; w < words_; ++w) {
      for (std::uint64_t bits = bits_[std::size_t{g} * words_ + w]; bits != 0; bits &= bits - 1) {
        visit(w * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
      }
    }
  }

  std::int64_t bytes() const { return static_cast<std::int64_t>(bits_.capacity() * sizeof(std::uint64_t)); }

 private:
  std::uint64_t& word(Group g, std::uint32_t port) { return bits_[std::size_t{g} * words_ + port / 64]; }

  std::uint32_t words_;
  std::vector<std::uint64_t> bits_;
};

}  // namespace sortlast::simulate
