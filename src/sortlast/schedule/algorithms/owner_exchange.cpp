// Owner exchange: every rank owns a piece and receives it from all others; direct-send and shift.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithm.hpp"

namespace sortlast {
namespace {

// Rank number j of the ring owns piece j of p. The ranks sit on a circle, in ring order: each sends the other
// pieces to the ranks 1, 2, ... places ahead, and receives its own piece from the ranks 1, 2, ... places
// behind. Only the owner of a piece merges it, so communication follows the ring, independent of depth order.
class OwnerExchange final : public Algorithm {
 public:
  enum class Kind : std::uint8_t {
    one_stage,           // all steps around the circle form one stage
    one_stage_in_pairs,  // same, and an owner merges neighbours in depth in pairs
    stages,              // step s is stage s
  };

  // `seats` are the places of the ring's ranks on a circle of `circle` places, ascending. If empty, the
  // circle has p places, and none is free.
  OwnerExchange(const Setting& setting, Kind kind, std::vector<std::int32_t> seats = {},
                std::int32_t circle = 0);

  Program program(std::int32_t rank) const override;
  Range piece(std::int32_t rank) const override;
  std::int32_t stages() const override;
  std::int32_t window() const override { return staged() ? 2 : 0; }
  bool incremental() const override { return kind_ == Kind::one_stage_in_pairs; }

 private:
  bool staged() const { return kind_ == Kind::stages; }
  std::int64_t depth_of(std::int32_t rank) const;
  // Number in the ring of the rank `steps` places after `seat`; -1: the place is free.
  std::int32_t after(std::int64_t seat, std::int64_t steps) const;

  std::int32_t p_;
  std::int64_t n_;
  bool commutes_;
  Kind kind_;
  std::int32_t circle_;                    // number of places on the circle
  std::vector<std::int32_t> seats_;        // number in the ring -> place on the circle
  std::vector<std::int32_t> seated_;       // place on the circle -> number in the ring, or -1
  const std::vector<std::int32_t>& ring_;  // number in the ring -> rank
  std::vector<std::int32_t> ring_place_;   // rank -> number in the ring
  std::vector<std::int32_t> position_;     // rank -> depth position
};

OwnerExchange::OwnerExchange(const Setting& setting, Kind kind, std::vector<std::int32_t> seats,
                             std::int32_t circle)
    : p_(setting.p),
      n_(setting.n),
      commutes_(setting.commutes),
      kind_(kind),
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
  return staged() ? circle_ - 1 : 1;
}

std::int32_t OwnerExchange::after(std::int64_t seat, std::int64_t steps) const {
  return at(seated_, (seat + steps) % circle_);
}

// If operators commute, any depth order is valid. In ring order, neighbours arrive one after the other.
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
    const std::int32_t stage = staged() ? step : 1;
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

  // Merge the arrivals.
  if (own.empty()) return program;
  program.result = 0;
  if (p_ > 1) {
    program.result = static_cast<Value>(program.values.size());
    program.values.push_back({own, {0, p_}});
    if (incremental()) {
      append_pairs(program, program.result, own, std::move(arrivals));
    } else {
      append_merges(program, program.result, own, arrivals, commutes_ ? p_ : 0);
    }
  }
  return program;
}

}  // namespace

// Direct-send: one stage in which every rank sends every other rank its piece.
//
// Source: Neumann, 1994; costs in section 4 of the shift paper.
//
// Direct-send in pairs is meant for ranks that arrive one after the other. In a chain, all images behind a
// missing rank must wait for it. In pairs, every image is merged with its neighbour in depth as soon as both
// have arrived, that pair with the next pair, and so on, so that only log2(p) merges remain for the last
// rank, wherever it is in depth. The order of merges depends only on depth, never on arrival, so the bits are
// always the same. The cost is memory traffic when images arrive one by one: the result of a pair is written
// and later read again.
//
// Starting with the ranks that have arrived is the approach of Grosset, Knoll and Hansen, "Dynamically
// Scheduled Region-Based Image Compositing", 2016, who measure the load of the ranks and order the regions of
// the image by it. Rejected: joining the images in front of the last rank and the images behind it, with two
// merges left for the last rank. The association, and so the bits, would depend on which rank arrives last.

AlgorithmDefinition direct_send() {
  return {{"direct-send", "direct-send[:pairs]",
           "One stage: every rank sends every other rank the piece that it owns.", "alpha (p-1)",
           "beta n (p-1)/p", "yes"},
          [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
            using Kind = OwnerExchange::Kind;
            if (parameters.empty()) return std::make_unique<OwnerExchange>(setting, Kind::one_stage);
            if (parameters == "pairs")
              return std::make_unique<OwnerExchange>(setting, Kind::one_stage_in_pairs);
            throw ArgumentError("direct-send:" + parameters + ": expected direct-send or direct-send:pairs");
          },
          [](std::int32_t p, const std::string&) {
            return CostTerms{p - 1.0, p > 1 ? 1.0 : 0.0, (p - 1.0) / p, (p - 1.0) / p};
          }};
}

// Shift: p - 1 stages; in stage s every rank sends to the one s places further on in the ring.
//
// A job on hosts that fill some switches only in part may have contention in every order of its ranks, but
// none if the ring has free places for the missing hosts, because routing balances for all hosts.
// shift:3,8-11 leaves the places 3, 8, 9, 10 and 11 free on a circle of p + 5 places, and has 5 more stages.
//
// Source: Cavin, Demengeon, 2012, section 3.2. Every stage is a shift permutation, which fat-tree routing
// carries without contention. At most two stages are in progress at once, so that blending overlaps the
// transfers of the next stage while the traffic keeps the pattern of the paper.

namespace {

constexpr std::int32_t most_places = 1 << 24;

// The free places in "3,8-11", ascending; nothing if the text is not such a list.
std::optional<std::vector<std::int32_t>> parse(const std::string& text) {
  std::vector<std::int32_t> places;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto number = [&](std::int32_t& value) {
    const auto [stop, error] = std::from_chars(at, end, value);
    at = stop;
    return error == std::errc{} && value >= 0 && value < most_places;
  };
  while (true) {
    std::int32_t first = 0;
    if (!number(first) || (!places.empty() && first <= places.back())) return {};
    std::int32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      if (!number(last) || last < first) return {};
    }
    for (std::int32_t place = first; place <= last; ++place) places.push_back(place);
    if (at == end) return places;
    if (*at++ != ',') return {};
  }
}

// Seats of the p ranks of the ring on a circle with these free places.
std::vector<std::int32_t> seats(std::int32_t p, const std::vector<std::int32_t>& free) {
  std::vector<std::int32_t> result;
  auto next_free = free.begin();
  for (std::int32_t place = 0; result.size() < static_cast<std::size_t>(p); ++place) {
    if (next_free != free.end() && *next_free == place) {
      ++next_free;
    } else {
      result.push_back(place);
    }
  }
  return result;
}

std::unique_ptr<Algorithm> make(const Setting& setting, const std::string& parameters) {
  if (parameters.empty()) return std::make_unique<OwnerExchange>(setting, OwnerExchange::Kind::stages);
  const auto free = parse(parameters);
  const auto circle =
      static_cast<std::int64_t>(setting.p) + (free ? static_cast<std::int64_t>(free->size()) : 0);
  if (!free || free->back() >= circle) {
    throw ArgumentError("shift:" + parameters +
                        ": expected the free places of the circle, rising, below p plus their "
                        "number, for example shift:3,8-11 (p = " +
                        std::to_string(setting.p) + ")");
  }
  return std::make_unique<OwnerExchange>(setting, OwnerExchange::Kind::stages, seats(setting.p, *free),
                                         static_cast<std::int32_t>(circle));
}

}  // namespace

AlgorithmDefinition shift() {
  return {
      {"shift", "shift[:FREE,...]",
       "In stage s every rank sends one piece to the rank s places further on; contention-free on fat-trees.",
       "alpha (p-1)", "beta n (p-1)/p", "yes"},
      [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
        return make(setting, parameters);
      },
      [](std::int32_t p, const std::string&) {
        return CostTerms{p - 1.0, p - 1.0, (p - 1.0) / p, (p - 1.0) / p};
      }};
}

}  // namespace sortlast
