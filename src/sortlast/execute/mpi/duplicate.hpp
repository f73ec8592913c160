// Duplicates of the user's communicator, on which a compositor's messages meet no others.
#pragma once

#include <mpi.h>

namespace sortlast {

// Collective over `comm`: a copy of it, whose errors are returned. Throws ArgumentError if MPI is not
// initialised or `comm` is no intracommunicator, TimeoutError if not all ranks come within `timeout` seconds.
MPI_Comm duplicate(MPI_Comm comm, double timeout);

// The largest tag that messages may have.
int tag_limit(MPI_Comm comm);

}  // namespace sortlast
