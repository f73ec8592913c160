// Communicators of the interface, which are MPI's.
#pragma once

#include <mpi.h>

#include "IceT.h"

namespace sortlast::icet {

// Throws a Failure if `comm` is null or none that icetCreateMPICommunicator() made.
void check_communicator(IceTCommunicator comm, const char* call);
// Of a communicator that is.
MPI_Comm mpi_of(IceTCommunicator comm);

}  // namespace sortlast::icet
