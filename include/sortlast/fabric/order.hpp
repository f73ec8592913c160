// Best order: in which order a job's hosts should take part, so that a pattern does not contend.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/fabric/contention.hpp"

namespace sortlast::fabric {

struct BestOrder {
  Placement placement;       // of the job's hosts; may hold dummies if they were allowed
  Contention contention;     // under it
  std::string how;           // which order it is, or what the search did
  bool proven_best = false;  // no order does better: either it is free, or `proof` holds
  std::string proof;         // why no order of these hosts can be free under this routing; empty: not known
};

struct OrderOptions {
  bool dummies = false;     // places in the pattern may stay empty
  std::int64_t steps = -1;  // of the local search; -1: as many as take some seconds
  std::uint64_t seed = 1;
  AnalysisOptions analysis = {};
  // The pattern of p participants, dummies among them; empty: shift.
  std::function<std::shared_ptr<const Pattern>(std::int32_t p)> pattern = {};
};

// Tries the known orders, then improves the best of them by annealing. An order is better if its mean share
// is higher and its max_flows are not, or the other way round. For shift it may prove that no order is free;
// with dummies there always is one. See order.cpp. Throws ArgumentError: hosts that do not exist, occur twice
// or are none.
SORTLAST_API BestOrder best_order(const Routes& routes, const std::vector<std::int32_t>& hosts,
                                  const OrderOptions& options = {});

}  // namespace sortlast::fabric
