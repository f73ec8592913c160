// Owner exchange, the common part of direct-send and shift.
#include "sortlast/schedule/algorithms/owner_exchange.hpp"

#include <utility>

namespace sortlast {

OwnerExchange::OwnerExchange(const Setting& setting, bool staged, std::vector<std::int32_t> seats,
                             std::int32_t circle)
    : p_(setting.p),
      n_(setting.n),
      commutes_(setting.commutes),
      staged_(staged),
      circle_(seats.empty() ? setting.p : circle),
      seats_(std::move(seats)),
      ring_(setting.ring),
      ring_place_(inverse(setting.ring)),
      position_(inverse(setting.order)) {
  if (seats_.empty()) return;
  seated_.assign(static_cast<std::size_t>(circle_), -1);
  for (std::size_t j = 0; j < seats_.size(); ++j) {
    seated_[static_cast<std::size_t>(seats_[j])] = static_cast<std::int32_t>(j);
  }
}

std::int32_t OwnerExchange::stages() const {
  if (p_ == 1) return 0;
  return staged_ ? circle_ - 1 : 1;
}

std::int32_t OwnerExchange::after(std::int64_t seat, std::int64_t steps) const {
  return at(seated_, (seat + steps) % circle_);
}

// Where operators commute, the ring's order is as good as any, and in it neighbours arrive in turn.
std::int64_t OwnerExchange::depth_of(std::int32_t rank) const {
  return at(commutes_ ? ring_place_ : position_, rank);
}

Range OwnerExchange::piece(std::int32_t rank) const { return piece_of(n_, p_, at(ring_place_, rank)); }

Program OwnerExchange::program(std::int32_t rank) const {
  Program program;
  program.rank = rank;
  const std::int64_t seat = at(seats_, at(ring_place_, rank));
  const std::int64_t depth = depth_of(rank);
  const Range own = piece(rank);
  program.values.push_back({{0, n_}, {depth, depth + 1}});

  // Send every other owner its piece, and expect this rank's piece from everyone.
  std::vector<Arrival> arrivals{{0, {depth, depth + 1}}};
  for (std::int32_t step = 1; step < circle_; ++step) {
    const std::int32_t stage = staged_ ? step : 1;
    const std::int32_t to = after(seat, step);
    const Range part = to < 0 ? Range{} : piece_of(n_, p_, to);
    if (!part.empty()) program.sends.push_back({stage, at(ring_, to), 0, part});

    const std::int32_t before = after(seat, circle_ - step);
    if (own.empty() || before < 0) continue;
    const std::int32_t from = at(ring_, before);
    const std::int64_t their_depth = depth_of(from);
    const auto value = static_cast<Value>(program.values.size());
    program.values.push_back({own, {their_depth, their_depth + 1}});
    program.receives.push_back({stage, from, value});
    arrivals.push_back({value, {their_depth, their_depth + 1}});
  }

  // Merge what arrives.
  if (own.empty()) return program;
  program.result = 0;
  if (p_ > 1) {
    program.result = static_cast<Value>(program.values.size());
    program.values.push_back({own, {0, p_}});
    append_merges(program, program.result, own, arrivals, commutes_ ? p_ : 0);
  }
  return program;
}

}  // namespace sortlast
