// A rank that does not come: the others end with an error that names it.
#include <stdio.h>
#include <string.h>

#include "mpi/tests.h"

#define LIMIT 5.0        // of a compositor, whose making it limits too [s]
#define SHORT_LIMIT 0.5  // where the late rank makes none [s]

static const float pixels[4 * 6];
static const sortlast_image image = {pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 4, false}, NULL};

static void check_gave_up(sortlast_compositor* compositor, sortlast_status status) {
  char silent[64];
  snprintf(silent, sizeof silent, "rank %d has not arrived", world_size() - 1);
  CHECK_STATUS(SORTLAST_ERROR_TIMEOUT, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), silent);

  // Nothing more can be done with it, and it says so.
  sortlast_tile* tile = NULL;
  status = sortlast_compositor_composite(compositor, &image, NULL, &tile);
  CHECK_STATUS(SORTLAST_ERROR_TIMEOUT, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "make a new one");
  CHECK(tile == NULL);
}

// The last rank does not composite (or gather), the others do.
static void check_missing(bool gather) {
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.timeout = LIMIT;
  sortlast_compositor* compositor = NULL;
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  CHECK(sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor) == SORTLAST_OK);
  if (gather) CHECK(sortlast_compositor_composite(compositor, &image, NULL, &tile) == SORTLAST_OK);
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_last_rank()) {
    const sortlast_status status = gather ? sortlast_compositor_gather(compositor, tile, 0, false, &frame)
                                          : sortlast_compositor_composite(compositor, &image, NULL, &tile);
    check_gave_up(compositor, status);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  // It comes too late, and hears so.
  if (is_last_rank()) {
    sortlast_tile* late = NULL;
    const sortlast_status status = sortlast_compositor_composite(compositor, &image, NULL, &late);
    CHECK_STATUS(SORTLAST_ERROR_TIMEOUT, status, sortlast_compositor_message(compositor));
    CHECK(late == NULL);
  }
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
}

static void check_missing_creation(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_last_rank()) {
    sortlast_compositor* compositor = NULL;
    sortlast_options options = SORTLAST_OPTIONS_INIT;
    options.timeout = SHORT_LIMIT;
    const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor);
    CHECK_STATUS(SORTLAST_ERROR_TIMEOUT, status, sortlast_compositor_message(compositor));
    sortlast_compositor_free(compositor);
  }
}

static void check_missing_box(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_last_rank()) {
    const sortlast_box box = {{0, 0, 0}, {1, 1, 1}};
    const sortlast_viewpoint eye = {{9, 9, 9}, false};
    sortlast_visibility* visibility = NULL;
    const sortlast_status status =
        sortlast_visibility_create(MPI_COMM_WORLD, &box, eye, SHORT_LIMIT, &visibility);
    CHECK_STATUS(SORTLAST_ERROR_TIMEOUT, status, sortlast_visibility_message(visibility));
    sortlast_visibility_free(visibility);
  }
}

void test_missing_ranks(void) {
  if (world_size() == 1) return;  // nobody to miss
  check_missing(false);
  check_missing(true);
  check_missing_creation();
  check_missing_box();
}
