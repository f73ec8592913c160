// Balance: choose one of the ports that lead to each host, the least used one, as OpenSM's minhop does.
#pragma once

#include <memory>

#include "sortlast/fabric/routing/hops.hpp"
#include "sortlast/fabric/routing.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// What the planes of a host (lmc > 0) should not share: first chassis and then switches, or just cables.
enum class PlaneRule { switches, cables };

// Tables of 2^lmc planes, each entry one of the ports that `towards` gives. See balance.cpp.
std::shared_ptr<Tables> balanced_tables(const Topology& topology, const SwitchGraph& graph,
                                        const PortsTowards& towards, std::int32_t lmc,
                                        PlaneRule rule = PlaneRule::switches);

}  // namespace sortlast::fabric
