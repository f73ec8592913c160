// Communicators from mpi4py.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace sortlast::python {

// mpi4py returns a communicator's handle as an integer, whatever its C type is.
inline MPI_Comm communicator(std::uintptr_t handle) {
  MPI_Comm comm = MPI_COMM_NULL;
  static_assert(sizeof(comm) <= sizeof(handle));
  std::memcpy(&comm, &handle, sizeof(comm));
  return comm;
}

}  // namespace sortlast::python
