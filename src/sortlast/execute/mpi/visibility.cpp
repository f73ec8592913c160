// Visibility order over MPI: every rank learns all boxes and sorts them by itself.
#include <algorithm>
#include <array>

#include "sortlast/execute/mpi/call.hpp"
#include "sortlast/execute/mpi/compositor.hpp"

namespace sortlast {

std::vector<std::int32_t> visibility_order(MPI_Comm comm, const Box& box, const Viewpoint& viewpoint) {
  int size = 0;
  check_mpi(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  std::array<double, 6> mine{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    mine[2 * axis] = box.low[axis];
    mine[2 * axis + 1] = box.high[axis];
  }
  std::vector<double> all(6 * static_cast<std::size_t>(size));
  check_mpi(MPI_Allgather(mine.data(), 6, MPI_DOUBLE, all.data(), 6, MPI_DOUBLE, comm), "MPI_Allgather");
  std::vector<Box> boxes(static_cast<std::size_t>(size));
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      boxes[rank].low[axis] = all[6 * rank + 2 * axis];
      boxes[rank].high[axis] = all[6 * rank + 2 * axis + 1];
    }
  }
  return visibility_order(boxes, viewpoint);
}

}  // namespace sortlast
