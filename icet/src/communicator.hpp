// Communicators of the interface, over MPI.
#pragma once

#include <mpi.h>

#include "IceT.h"

namespace sortlast::icet {

// Throws a Failure if `comm` is null or was not made by icetCreateMPICommunicator().
void check_communicator(IceTCommunicator comm, const char* call);
// A communicator that takes ownership of `comm`.
IceTCommunicator wrap(MPI_Comm comm);
// The MPI communicator inside one made by icetCreateMPICommunicator() or wrap().
MPI_Comm mpi_of(IceTCommunicator comm);

}  // namespace sortlast::icet
