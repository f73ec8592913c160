// Guid order: the order in which OpenSM goes through switches, and through the hosts that it routes to.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/fabric/topology.hpp"

namespace sortlast::fabric {

// Switches by GUID as OpenSM's maps sort them on the machines that it runs on: a GUID is kept in network byte
// order and compared as a little-endian number, so its last byte counts most. Equal GUIDs: by number.
std::vector<std::int32_t> switches_by_guid(const Topology& topology);

// Hosts by GUID of their adapter, as above; those of one adapter by its port.
std::vector<std::int32_t> hosts_by_guid(const Topology& topology);

// Switches in the order in which their hosts are routed to: those with most hosts first, else by GUID.
std::vector<std::int32_t> switches_by_load(const Topology& topology);

// The hosts of every switch by port.
std::vector<std::vector<std::int32_t>> hosts_of_switches(const Topology& topology);

}  // namespace sortlast::fabric
