// Why no order can be free: what a channel must carry, whatever the order.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/contention/path_walker.hpp"

namespace sortlast::fabric {

// The channel between switches that the most pairs (source, destination) of distinct hosts cross, the first
// of them, and how many. A shift of n hosts has n - 1 stages and every pair in one of them: with more pairs
// than stages some stage has two flows on the channel.
struct Demand {
  Channel channel = -1;  // -1: no pair crosses one
  std::int64_t pairs = 0;
};
Demand greatest_demand(const PathWalker& walker, const std::vector<std::int32_t>& hosts);

}  // namespace sortlast::fabric
