// Shift: p - 1 stages; in stage s every rank sends to the one s places further on in the ring.
//
// Source: Cavin, Demengeon, 2012, section 3.2. Every stage is a shift permutation, which fat-tree
// routing carries without contention. At most two stages are under way at once: blending overlaps the
// transfers of the next stage, and the pattern on the wires stays that of the paper.
#include "sortlast/schedule/owner_exchange.hpp"
#include "sortlast/schedule/registry.hpp"

namespace sortlast {

AlgorithmEntry shift() {
  return {
      "shift",
      "shift",
      "In stage s every rank sends one piece to the rank s places further on; contention-free on fat-trees.",
      "alpha (p-1)",
      "beta n (p-1)/p",
      "yes",
      [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
        refuse_parameters("shift", parameters);
        return std::make_unique<OwnerExchange>(setting, true);
      },
      [](std::int32_t p, const std::string&) {
        return CostTerms{p - 1.0, p - 1.0, (p - 1.0) / p, (p - 1.0) / p};
      }};
}

}  // namespace sortlast
