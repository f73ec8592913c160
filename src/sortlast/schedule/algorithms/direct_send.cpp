// Direct-send: one stage in which every rank sends every other rank its piece.
//
// Source: Neumann, 1994; costs in section 4 of the shift paper.
#include "sortlast/schedule/algorithms/owner_exchange.hpp"

namespace sortlast {

AlgorithmDefinition direct_send() {
  return {
      {"direct-send", "direct-send", "One stage: every rank sends every other rank the piece that it owns.",
       "alpha (p-1)", "beta n (p-1)/p", "yes"},
      [](const Setting& setting, std::string& parameters) -> std::unique_ptr<Algorithm> {
        refuse_parameters("direct-send", parameters);
        return std::make_unique<OwnerExchange>(setting, false);
      },
      [](std::int32_t p, const std::string&) {
        return CostTerms{p - 1.0, p > 1 ? 1.0 : 0.0, (p - 1.0) / p, (p - 1.0) / p};
      }};
}

}  // namespace sortlast
