// Tune: the machine of a communicator, measured: a profile for "auto" to choose by.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sortlast/export.hpp"
#include "sortlast/machine.hpp"

namespace sortlast {

struct TuneOptions {
  double seconds = 2;  // to measure for; the longer, the less of what else the machine does is in the figures
  int node_ranks = 0;  // as Options::node_ranks
  double timeout = 60;  // longest wait without any progress [s]
  // Called on every rank with the measurements done, and how many there are.
  std::function<void(int done, int total)> progress = {};
  std::function<void()> interrupt = {};  // as Options::interrupt
};

// What was measured, the same on every rank.
struct MachineReport {
  Machine machine;  // of each figure the median of the measurements
  Machine low;      // the least
  Machine high;     // the greatest
  // Names of the times of Machine that could be measured. The others are defaults, such as those of messages
  // between nodes where there is one node.
  std::vector<std::string> measured;
  std::int32_t ranks = 1;  // of the communicator
  bool messages = false;   // ranks of a node were told not to read each other's images

  bool operator==(const MachineReport&) const = default;
};

// Measure the machine of `comm` in about options.seconds, by short measurements of which medians are taken.
// Collective; `comm` is duplicated and may be freed at once. Throws on every rank: ArgumentError or
// MismatchError (seconds that are not positive, options that differ between ranks), TimeoutError if a rank
// does not come.
SORTLAST_API MachineReport measure_machine(MPI_Comm comm, const TuneOptions& options = {});

// This host with this MPI library, by the host's name without digits, so that the nodes of a cluster share
// it, the processor, its cores and the MPI library's version; of lower-case letters, digits, '.', '-' and
// '_'.
SORTLAST_API std::string machine_name();

// The file from which a compositor on this machine takes its figures if it is told no other: machine_name()
// with .json, in $XDG_CACHE_HOME/sortlast/ or ~/.cache/sortlast/. Empty if neither XDG_CACHE_HOME nor HOME is
// set.
SORTLAST_API std::string kept_profile_path();

// Write that file, whole or not at all, and return its path; to be called on one rank. Throws ArgumentError
// if it cannot be written.
SORTLAST_API std::string keep_profile(const Machine& machine);

}  // namespace sortlast
