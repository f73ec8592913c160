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

// Two boxes a rank, dealt out in turn; the last rank has none.
void test_visibility_positions(void) {
  const int p = world_size();
  const int rank = world_rank();
  const int32_t count = is_last_rank() && p > 1 ? 0 : 2;
  const sortlast_box boxes[] = {{{rank, 0, 0}, {rank + 1, 1, 1}}, {{rank + p, 0, 0}, {rank + p + 1, 1, 1}}};
  const sortlast_viewpoint right = {{3.0 * p, 0.5, 0.5}, false};
  const int others = p > 1 ? p - 1 : 1;
  sortlast_positions* positions = NULL;
  sortlast_status status = sortlast_positions_create(MPI_COMM_WORLD, count == 0 ? NULL : boxes, count, right,
                                                     false, NULL, 0, 60, &positions);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_positions_message(positions));
  CHECK(sortlast_positions_count(positions) == count);
  for (int32_t i = 0; i < count; ++i) {
    CHECK(sortlast_positions_of_boxes(positions)[i] == 2 * others - 1 - (rank + i * others));
    CHECK(sortlast_positions_boxes(positions)[i].low[0] == rank + i * p);
    CHECK(sortlast_positions_sources(positions)[i] == i);
  }
  if (count == 0) CHECK(sortlast_positions_of_boxes(positions) == NULL);
  sortlast_positions_free(positions);

  // Rank 0's box in the middle of a larger one of its own.
  const sortlast_box nested[] = {{{0, 0, 0}, {9, 9, 9}}, {{4, 4, 4}, {5, 5, 5}}};
  const int32_t mine = rank == 0 ? 2 : 0;
  status = sortlast_positions_create(MPI_COMM_WORLD, nested, mine, right, false, NULL, 0, 60, &positions);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_positions_message(positions));
  CHECK_HOLDS(sortlast_positions_message(positions), "box 0 of rank 0 and box 1 of rank 0 overlap");
  sortlast_positions_free(positions);
  status = sortlast_positions_create(MPI_COMM_WORLD, nested, mine, right, true, NULL, 0, 60, &positions);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_positions_message(positions));
  CHECK(sortlast_positions_count(positions) == (rank == 0 ? 7 : 0));
  sortlast_positions_free(positions);

  // A tree, and one that is wrong.
  sortlast_split_node node = {1, {1, 0, 0}, {-1, -2}};
  for (int i = 2; i < 8; ++i) node.children[i] = INT32_MIN;
  const sortlast_box halves[] = {{{0, 0, 0}, {1, 1, 1}}, {{1, 0, 0}, {2, 1, 1}}};
  status = sortlast_positions_create(MPI_COMM_WORLD, halves, mine, right, false, &node, 1, 60, &positions);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_positions_message(positions));
  if (rank == 0) CHECK(sortlast_positions_of_boxes(positions)[0] == 1);
  sortlast_positions_free(positions);
  node.axes = 0;
  status = sortlast_positions_create(MPI_COMM_WORLD, halves, mine, right, false, &node, 1, 60, &positions);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_positions_message(positions));
  CHECK_HOLDS(sortlast_positions_message(positions), "node 0 of the tree has axes 0");
  sortlast_positions_free(positions);
  status = sortlast_positions_create(MPI_COMM_WORLD, NULL, 3, right, false, NULL, 0, 60, &positions);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_positions_message(positions));
  CHECK_HOLDS(sortlast_positions_message(positions), "boxes is NULL");
  sortlast_positions_free(positions);
}
