// Neighbours: which ranks share a machine and its cores, and whether they can share memory.
#pragma once

#include <cstdint>

#include "sortlast/cores.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// Collective; throws when a rank does not come within the alarm's limit. `ranks`: 0: the ranks that really
// share this machine; 1: each by itself; k: at most k of those, counted in rank order, as if they were on
// different machines. Ranks that cannot map one segment together become nodes of one. MismatchError, on every
// rank, if ranks of a node come from builds with another `layout` of what they share.
Neighbours find_neighbours(const Communicator& all, const Alarm& alarm, int ranks,
                           std::uint64_t layout = control_layout());

// Collective: the node of this rank, whose waits raise the alarm, which must outlive it.
Node make_node(const Communicator& all, const Alarm& alarm, int ranks);

// Collective: which ranks share a node and its cores. Throws TimeoutError.
CoreShares share_cores(const Communicator& comm, const Alarm& alarm, const Node& node,
                       const WaitsFor& waits_for);

}  // namespace sortlast
