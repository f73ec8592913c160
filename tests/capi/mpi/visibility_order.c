// Visibility order from each rank's own box.
#include <stddef.h>

#include "mpi/tests.h"

void test_visibility_order(void) {
  const int p = world_size();
  const double x = world_rank();
  const sortlast_box box = {{x, 0, 0}, {x + 1, 1, 1}};
  const sortlast_viewpoint from_the_right = {{p + 5.0, 0.5, 0.5}, false};

  // Side by side, seen from the right; rank 0 has no data.
  sortlast_visibility* visibility = NULL;
  sortlast_status status = sortlast_visibility_create(MPI_COMM_WORLD, world_rank() == 0 ? NULL : &box,
                                                      from_the_right, 60, &visibility);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_visibility_message(visibility));
  for (int i = 0; i < p; ++i) CHECK(sortlast_visibility_order(visibility)[i] == p - 1 - i);
  sortlast_visibility_free(visibility);

  // All in the same place.
  const sortlast_box same = {{0, 0, 0}, {1, 1, 1}};
  status = sortlast_visibility_create(MPI_COMM_WORLD, &same, from_the_right, 60, &visibility);
  if (p > 1) {
    CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_visibility_message(visibility));
    CHECK_HOLDS(sortlast_visibility_message(visibility), "ranks 0 and 1");
    CHECK(sortlast_visibility_order(visibility) == NULL);
  } else {
    CHECK_STATUS(SORTLAST_OK, status, sortlast_visibility_message(visibility));
  }
  sortlast_visibility_free(visibility);

  // Two viewpoints.
  sortlast_viewpoint viewpoint = from_the_right;
  if (is_last_rank()) viewpoint.parallel = true;
  status = sortlast_visibility_create(MPI_COMM_WORLD, &box, viewpoint, 60, &visibility);
  CHECK_STATUS(p > 1 ? SORTLAST_ERROR_MISMATCH : SORTLAST_OK, status,
               sortlast_visibility_message(visibility));
  if (p > 1) CHECK_HOLDS(sortlast_visibility_message(visibility), "viewpoint");
  sortlast_visibility_free(visibility);

  status = sortlast_visibility_create(MPI_COMM_NULL, &box, from_the_right, 60, &visibility);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_visibility_message(visibility));
  CHECK_HOLDS(sortlast_visibility_message(visibility), "MPI_COMM_NULL");
  sortlast_visibility_free(visibility);
}
