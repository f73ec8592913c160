// Duplicates of the user's communicator.
#include "sortlast/execute/mpi/duplicate.hpp"

#include <memory>
#include <sstream>

#include "sortlast/error.hpp"
#include "sortlast/execute/mpi/communicator.hpp"
#include "sortlast/execute/mpi/keep.hpp"
#include "sortlast/execute/mpi/backoff.hpp"

namespace sortlast {

MPI_Comm duplicate(MPI_Comm comm, double timeout) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0)
    throw ArgumentError("MPI is not initialised; call MPI_Init before making a Compositor");
  if (comm == MPI_COMM_NULL)
    throw ArgumentError("the communicator is MPI_COMM_NULL; expected one that this rank is part of");
  int between_groups = 0;
  check_mpi(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups != 0)
    throw ArgumentError("the communicator is an intercommunicator; expected an intracommunicator");
  MPI_Request request = MPI_REQUEST_NULL;
  const auto copy = std::make_shared<MPI_Comm>(MPI_COMM_NULL);
  check_mpi(MPI_Comm_idup(comm, copy.get(), &request), "MPI_Comm_idup");
  const double until = MPI_Wtime() + timeout;
  for (int done = 0, polls = 0; done == 0; ++polls) {
    check_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) break;
    if (MPI_Wtime() > until) {
      keep_for_ever(copy);
      std::ostringstream limit;
      limit << timeout;
      throw TimeoutError("making a Compositor: not all ranks of the communicator made one within " +
                         limit.str() + " s");
    }
    yield_core(polls);
  }
  const MPI_Comm made = *copy;
  check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return made;
}

int tag_limit(MPI_Comm comm) {
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  return found == 0 ? 32767 : *static_cast<int*>(value);
}

}  // namespace sortlast
