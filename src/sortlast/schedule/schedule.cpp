// The Schedule value.
#include "sortlast/schedule.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {

Range intersection(Range a, Range b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.empty() ? Range{} : both;
}

Range piece_of(std::int64_t n, std::int64_t g, std::int64_t j) {
  const auto cut = [n, g](std::int64_t i) {
    return static_cast<std::int64_t>(static_cast<__int128>(i) * n / g);
  };
  return {cut(j), cut(j + 1)};
}

Schedule::Schedule(std::string name, Setting setting, std::shared_ptr<const Algorithm> algorithm)
    : name_(std::move(name)), setting_(std::move(setting)), algorithm_(std::move(algorithm)) {}

Program Schedule::program(std::int32_t rank) const {
  check_rank(rank);
  return algorithm_->program(rank);
}

Range Schedule::piece(std::int32_t rank) const {
  check_rank(rank);
  const Range piece = algorithm_->piece(rank);
  return piece.empty() ? Range{} : piece;
}

void Schedule::check_rank(std::int32_t rank) const {
  if (rank >= 0 && rank < p()) return;
  throw ArgumentError("rank " + std::to_string(rank) + " does not take part; expected 0.." +
                      std::to_string(p() - 1));
}

std::vector<Transfer> Schedule::transfers() const {
  std::vector<Transfer> all;
  for (std::int32_t rank = 0; rank < p(); ++rank) {
    const Program program = this->program(rank);
    for (const Send& send : program.sends) {
      const Fragment& whole = program.values[static_cast<std::size_t>(send.value)];
      all.push_back({send.stage, rank, send.peer, {send.pixels, whole.depth}});
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Transfer& a, const Transfer& b) { return a.stage < b.stage; });
  return all;
}

}  // namespace sortlast
