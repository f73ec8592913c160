// Routing order of hosts: leaf by leaf in the order of OpenSM's ftree, and in a leaf by port.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/placement.hpp"
#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

struct LeafPlaces {
  std::int32_t leaf = 0;            // switch
  std::int32_t subtree = 0;         // leaves of one subtree below the roots have one number
  std::vector<std::int32_t> hosts;  // compute hosts, by port
};

// Leaves in order. Where ftree sees no tree (a single switch, a grid), the switches with compute hosts by
// number, each a subtree of its own. Hosts of `compute` above the leaves of a tree have no place.
std::vector<LeafPlaces> leaf_places(const Topology& topology, const std::vector<std::int32_t>& compute);

// The hosts in that order; with `dummies`, -1 in the places of others. As order_hosts() tells; `hosts` must
// be distinct.
Placement order_by_routing(const Topology& topology, const std::vector<std::int32_t>& hosts,
                           const std::vector<std::int32_t>& compute, bool dummies);

}  // namespace sortlast::fabric
