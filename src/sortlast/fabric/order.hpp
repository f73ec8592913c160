// Best order: in which order a job's hosts should take part, so that a pattern does not contend.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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
  bool dummies = false;       // places in the pattern may stay empty
  std::int64_t steps = 2000;  // of the local search
  std::uint64_t seed = 1;
  AnalysisOptions analysis = {};
};

// Tries the known orders, then improves the best of them step by step; for shift a residue argument may prove
// that none is free (see order.cpp).
BestOrder best_order(const Routes& routes, const std::vector<std::int32_t>& hosts,
                     const OrderOptions& options = {});

}  // namespace sortlast::fabric
