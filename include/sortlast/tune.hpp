// Tune: measures the machine of a communicator. The result is a profile from which "auto" selects algorithms.
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
  double seconds = 2;   // duration; longer measurements are less disturbed by other activity of the machine
  int node_ranks = 0;   // as Options::node_ranks
  double timeout = 60;  // longest wait without any progress [s]
  // Called on every rank with the number of finished measurements and their total.
  std::function<void(int done, int total)> progress = {};
  std::function<void()> interrupt = {};  // as Options::interrupt
};

// The measured figures, the same on every rank.
struct MachineReport {
  Machine machine;  // medians of the measurements
  Machine low;      // minima
  Machine high;     // maxima
  // Names of the times of Machine that could be measured. The others are defaults, for instance the times of
  // messages between nodes if there is only one node.
  std::vector<std::string> measured;
  std::int32_t ranks = 1;  // size of the communicator
  bool messages = false;   // options prevented ranks of a node from reading each other's images

  bool operator==(const MachineReport&) const = default;
};

// Measure the machine of `comm` in about options.seconds, as medians of short measurements. Collective;
// `comm` is duplicated and may be freed at once. Throws on every rank: ArgumentError or MismatchError
// (seconds that are not positive, options that differ between ranks), TimeoutError if a rank does not arrive.
SORTLAST_API MachineReport measure_machine(MPI_Comm comm, const TuneOptions& options = {});

// Identifies this host with this MPI library: the host's name without digits, so that the nodes of a cluster
// share it, the processor, its cores and the MPI library's version. Consists of lower-case letters, digits,
// '.', '-' and '_'.
SORTLAST_API std::string machine_name();

// The file from which a compositor on this machine takes its figures by default: machine_name() with .json,
// in $XDG_CACHE_HOME/sortlast/ or ~/.cache/sortlast/. Empty if neither XDG_CACHE_HOME nor HOME is set.
SORTLAST_API std::string kept_profile_path();

// Write that file atomically and return its path. To be called on one rank. Throws ArgumentError if it cannot
// be written.
SORTLAST_API std::string keep_profile(const Machine& machine);

}  // namespace sortlast
