// Neighbours: which ranks share a machine, and whether they can share memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sortlast/execute/mpi/alarm.hpp"
#include "sortlast/execute/node/segment.hpp"

namespace sortlast {

struct Neighbours {
  std::vector<std::int32_t> nodes;  // of every rank, numbered in the order of their lowest ranks
  std::vector<int> members;         // the ranks of this node, this one among them, ascending
  std::optional<Segment> control;   // theirs; none if there is one member
  int cores = 1;                    // of the machine, for each rank that may use the same ones
  bool remote_reads = false;        // each can read the memory of the others through the kernel
};

// Collective; throws when a rank does not come within the alarm's limit. `ranks`: see Node. Ranks that cannot
// map one segment together become nodes of one.
Neighbours find_neighbours(const Communicator& all, const Alarm& alarm, int ranks);

}  // namespace sortlast
