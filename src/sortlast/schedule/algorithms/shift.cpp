// Shift: p - 1 stages; in stage s every rank sends to the one s places further on in the ring.
//
// A job whose hosts fill some switches only in part may contend in every order of its ranks, and yet not if
// the ring has free places where the other hosts would be: routing balances for all of them. shift:3,8-11
// leaves the places 3, 8, 9, 10 and 11 of a circle of p + 5 free, which has that many more stages.
//
// Source: Cavin, Demengeon, 2012, section 3.2. Every stage is a shift permutation, which fat-tree
// routing carries without contention. At most two stages are under way at once: blending overlaps the
// transfers of the next stage, and the pattern on the wires stays that of the paper.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <vector>

#include "sortlast/error.hpp"
#include "sortlast/schedule/algorithms/owner_exchange.hpp"

namespace sortlast {
namespace {

constexpr std::int32_t most_places = 1 << 24;

// Free places of "3,8-11", rising; nothing if the text is no such list.
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
  if (parameters.empty()) return std::make_unique<OwnerExchange>(setting, true);
  const auto free = parse(parameters);
  const auto circle =
      static_cast<std::int64_t>(setting.p) + (free ? static_cast<std::int64_t>(free->size()) : 0);
  if (!free || free->back() >= circle) {
    throw ArgumentError("shift:" + parameters +
                        ": expected the free places of the circle, rising, below p plus their "
                        "number, for example shift:3,8-11 (p = " +
                        std::to_string(setting.p) + ")");
  }
  return std::make_unique<OwnerExchange>(setting, true, seats(setting.p, *free),
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
