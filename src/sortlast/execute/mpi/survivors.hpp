// Survivors: the ranks that have died, if MPI can detect that, and a communicator of the others. Requires an
// MPI with ULFM (user-level failure mitigation), started so that ranks outlive others: Open MPI 5 with
// `mpiexec --with-ft ulfm`.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {

// Whether this MPI was started in that way.
bool ranks_outlive_others();

// Ranks of `comm` that MPI knows to have died, ascending; empty if MPI cannot detect that. Not collective.
std::vector<int> dead_ranks(MPI_Comm comm);

// "rank 3 has died, so its image is missing", and the remedy; empty for no ranks.
std::string text_of_dead(const std::vector<int>& ranks);

// Why MPI has ended a call on `comm`, if that is due to ranks that have died: text_of_dead(), or that another
// rank has called shrink(); otherwise empty. May wait some tenths of a second for MPI to report.
std::string death_behind_error(MPI_Comm comm);

struct Survivors {
  Communicator comm;
  std::vector<std::int32_t> ranks;  // of each of its ranks, the rank in the original communicator
};

// Collective over the surviving ranks of `comm`; their other calls on it end with an error. Throws
// TimeoutError if one of them does not arrive within `limit` seconds, and any exception of `interrupt`. This
// function and the next require that ranks outlive others.
Survivors shrink_communicator(MPI_Comm comm, double limit, const std::function<void()>& interrupt);

// The result of an agreement, the same on all surviving ranks.
struct Agreed {
  bool all = false;   // every rank said yes
  bool died = false;  // one of them has died meanwhile
};

// Collective over the surviving ranks of `comm`; otherwise as above.
Agreed agree_with_survivors(const Communicator& comm, bool yes, double limit,
                            const std::function<void()>& interrupt);

}  // namespace sortlast
