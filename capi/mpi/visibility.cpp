// Visibility order from each rank's own box.
#include "visibility.hpp"

#include "sortlast/compositor.hpp"
#include "sortlast/error.hpp"
#include "sortlast_mpi.h"

using namespace sortlast;
using namespace sortlast::capi;

namespace {

void check_communicator(MPI_Comm comm) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised == 0) throw ArgumentError("MPI is not initialised; call MPI_Init first");
  if (comm == MPI_COMM_NULL)
    throw ArgumentError("the communicator is MPI_COMM_NULL; expected one that this rank is part of");
}

}  // namespace

sortlast_status sortlast_visibility_create(MPI_Comm comm, const sortlast_box* box,
                                           sortlast_viewpoint viewpoint, sortlast_visibility** visibility) {
  return make_handle(visibility, [&](sortlast_visibility& made) {
    check_communicator(comm);
    made.order = visibility_order(comm, box_of(box), viewpoint_of(viewpoint));
  });
}
