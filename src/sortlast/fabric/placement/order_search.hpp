// Searches for an order with fewer pairs of flows that share a channel: by annealing, and of all orders.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sortlast/fabric/contention.hpp"
#include "sortlast/fabric/placement/order_loads.hpp"
#include "sortlast/random.hpp"

namespace sortlast::fabric {

// Which job has each place of the pattern; -1: none.
using JobOrder = std::vector<std::int32_t>;

// Swaps places at random, worse orders less and less often, until no flows share a channel or the steps are
// done. `switches`: by job; half of the swaps are within a switch. `loads` must be empty, and are not after.
struct Annealed {
  JobOrder order;          // the best that was seen
  std::int64_t pairs = 0;  // of flows that share a channel
  std::int64_t steps = 0;  // that were done
};
Annealed anneal(OrderLoads& loads, JobOrder order, const std::vector<std::int32_t>& switches,
                std::int64_t steps, SplitMix64 random, const Progress& progress);

// Tries all orders without dummies, leaving out those that begin with one that contends already. `rotates`:
// turning an order round changes nothing, as in a shift.
struct Exhausted {
  std::optional<JobOrder> order;  // the first one without a pair
  std::int64_t tried = 0;         // beginnings of orders
  bool complete = false;          // there is no other; false: an order was found, or the limit was reached
};
Exhausted try_all_orders(OrderLoads& loads, bool rotates, std::int64_t limit);

}  // namespace sortlast::fabric
