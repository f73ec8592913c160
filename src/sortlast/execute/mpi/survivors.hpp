// Survivors: which ranks have died, where MPI can tell, and a communicator of the others. It takes an MPI
// with ULFM (user-level failure mitigation), started so that ranks outlive others: Open MPI 5 by `mpiexec
// --with-ft ulfm`.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sortlast/execute/mpi/communicator.hpp"

namespace sortlast {

// Whether this MPI was started so.
bool ranks_outlive_others();

// Ranks of `comm` that MPI knows to have died, ascending; none where MPI cannot tell. Not collective.
std::vector<int> dead_ranks(MPI_Comm comm);

// "rank 3 has died, so its image is missing", and what to do; empty for none.
std::string text_of_dead(const std::vector<int>& ranks);

// Why MPI has ended a call on `comm`, as far as it has to do with ranks that have died: text_of_dead(), or
// that another rank has called shrink(); empty if with neither. May wait some tenths of a second for what MPI
// tells.
std::string death_behind_error(MPI_Comm comm);

struct Survivors {
  Communicator comm;
  std::vector<std::int32_t> ranks;  // of each of its ranks the rank in the communicator that was shrunk
};

// Collective over the ranks of `comm` that live, whose calls on it end with an error. Throws TimeoutError if
// one of them does not come within `limit` seconds, and what `interrupt` throws. Only where ranks outlive
// others, and so for the next.
Survivors shrink_communicator(MPI_Comm comm, double limit, const std::function<void()>& interrupt);

// What the ranks of a communicator have agreed on, all that live the same.
struct Agreed {
  bool all = false;   // every one said yes
  bool died = false;  // one of them has died meanwhile
};

// Collective over the ranks of `comm` that live; otherwise as above.
Agreed agree_with_survivors(const Communicator& comm, bool yes, double limit,
                            const std::function<void()>& interrupt);

}  // namespace sortlast
