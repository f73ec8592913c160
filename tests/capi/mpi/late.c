// Frames that leave late ranks out: the last rank is late for the first, and is in the second.
#include <math.h>

#include "mpi/tests.h"

static void check_attendance(const sortlast_tile* tile, int64_t frame, int32_t left_out_count) {
  const sortlast_tile_attendance attendance = sortlast_tile_attendance_get(tile);
  CHECK(attendance.frame == frame);
  CHECK(attendance.left_out_count == left_out_count);
  CHECK((attendance.left_out == NULL) == (left_out_count == 0));
  if (left_out_count == 1) CHECK(attendance.left_out[0] == world_size() - 1);
}

static void check_frames(void) {
  const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};
  sortlast_image image = make_image(world_rank(), 5, 3, rgba);
  sortlast_compositor* compositor = NULL;
  // Ranks that are not late need time to come.
  const double deadline = world_size() == 2 ? 0.1 : 5;
  const sortlast_status made =
      sortlast_compositor_create(MPI_COMM_WORLD, WITH(deadline, deadline), &compositor);
  CHECK_STATUS(SORTLAST_OK, made, sortlast_compositor_message(compositor));

  // The others do not wait for the last rank.
  sortlast_tile* tile = NULL;
  if (!is_last_rank()) {
    CHECK(sortlast_compositor_composite(compositor, &image, NULL, &tile) == SORTLAST_OK);
    check_attendance(tile, 1, 1);
    sortlast_tile_free(tile);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  // Its image is in the next frame, for which all wait.
  sortlast_composition composition = SORTLAST_COMPOSITION_INIT;
  composition.deadline = INFINITY;
  CHECK(sortlast_compositor_composite(compositor, &image, &composition, &tile) == SORTLAST_OK);
  check_attendance(tile, 2, 0);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
  free_image(image);
}

void test_late_ranks(void) {
  CHECK(sortlast_tile_attendance_get(NULL).left_out == NULL);
  if (world_size() == 1) return;
  check_frames();
}
