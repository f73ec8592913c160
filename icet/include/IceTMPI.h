// IceTMPI.h: communicators of IceT's interface over MPI.
#ifndef SORTLAST_ICET_MPI_H
#define SORTLAST_ICET_MPI_H

#include <mpi.h>

#include "IceT.h"

#ifdef __cplusplus
extern "C" {
#endif

// `mpi_comm` is duplicated, which is collective, and may be freed at once. Returns NULL for MPI_COMM_NULL and
// on MPI errors.
ICET_MPI_EXPORT IceTCommunicator icetCreateMPICommunicator(MPI_Comm mpi_comm);
ICET_MPI_EXPORT void icetDestroyMPICommunicator(IceTCommunicator comm);

#ifdef __cplusplus
}
#endif

#endif
