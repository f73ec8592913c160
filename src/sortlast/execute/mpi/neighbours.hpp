// Neighbours: which ranks share a machine and its cores, and whether they can share memory.
#pragma once

#include <cstdint>

#include "sortlast/cores.hpp"
#include "sortlast/execute/mpi/wait.hpp"
#include "sortlast/execute/node/control.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// Collective; throws if a rank does not arrive within the alarm's limit. `ranks`: 0: the ranks that actually
// share this machine; 1: each rank by itself; k: at most k of them, in rank order, as if the others were on
// different machines. Ranks that cannot all map one segment become nodes of one. MismatchError, on every
// rank, if ranks of a node come from builds with a different `layout` of the shared data.
Neighbours find_neighbours(const Communicator& all, const Alarm& alarm, int ranks,
                           std::uint64_t layout = control_layout());

// Collective: the node of this rank. Its waits raise the alarm, which must outlive it.
Node make_node(const Communicator& all, const Alarm& alarm, int ranks);

// Collective: the ranks that share a node and its cores. Throws TimeoutError.
CoreShares share_cores(const Communicator& comm, const Alarm& alarm, const Node& node,
                       const WaitsFor& waits_for);

}  // namespace sortlast
