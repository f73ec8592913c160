// Communicators of the interface, which are MPI's.
#pragma once

#include <mpi.h>

#include "IceT.h"

namespace sortlast::icet {

// Throws a Failure if `comm` is null or none that icetCreateMPICommunicator() made.
void check_communicator(IceTCommunicator comm, const char* call);
// A communicator that takes `comm` over.
IceTCommunicator wrap(MPI_Comm comm);
// Of a communicator that icetCreateMPICommunicator() or wrap() made.
MPI_Comm mpi_of(IceTCommunicator comm);

}  // namespace sortlast::icet
