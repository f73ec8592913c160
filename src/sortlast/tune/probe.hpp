// Probe: the figures of a communicator's machine, measured.
#pragma once

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/machine.hpp"

namespace sortlast {

// Collective. Measures for about `seconds` [s], and returns the same on every rank, bit for bit. Nodes are
// those of `node` or, where that puts every rank on a node of its own, machines. What cannot be measured
// keeps its default: messages within nodes that hold one rank each, messages between nodes where there is
// only one, and both where other processes leave no time for a few of them.
//
// No message may be under way on `comm`. Throws TimeoutError if a rank does not come, and then messages may
// be under way for ever.
Machine probe(const Communicator& comm, const Alarm& alarm, const Node& node, double seconds);

}  // namespace sortlast
