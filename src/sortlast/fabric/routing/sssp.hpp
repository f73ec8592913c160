// SSSP: the order in which OpenSM's sssp and dfsssp route to hosts, and the tables of both.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/routing/engine.hpp"

namespace sortlast::fabric {

// Hosts, without routers: by switch as in switches_by_load(), on a switch by port. options.compute, if given,
// come before all others.
std::vector<std::int32_t> sssp_hosts(const Topology& topology, const RouteOptions& options);

}  // namespace sortlast::fabric
