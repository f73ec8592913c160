// A compositor of the ranks that live, where MPI lets no rank outlive another: an error that says what to do.
#include "mpi/tests.h"

void test_shrink(void) {
  sortlast_compositor* compositor = NULL;
  CHECK(sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor) == SORTLAST_OK);
  int32_t count = 0;
  const int32_t* ranks = sortlast_compositor_ranks(compositor, &count);
  CHECK(count == world_size());
  for (int32_t rank = 0; rank < count; ++rank) CHECK(ranks[rank] == rank);

  sortlast_compositor* shrunk = NULL;
  const sortlast_status status = sortlast_compositor_shrink(compositor, &shrunk);
  CHECK_STATUS(SORTLAST_ERROR_USAGE, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "mpiexec --with-ft ulfm");
  CHECK(shrunk == NULL);
  CHECK(sortlast_compositor_shrink(NULL, &shrunk) == SORTLAST_ERROR_ARGUMENT);

  // It can still be used, until it is closed.
  const float pixels[4 * 6] = {0};
  const sortlast_image image = {pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 4, false}, NULL};
  sortlast_tile* tile = NULL;
  CHECK(sortlast_compositor_composite(compositor, &image, NULL, &tile) == SORTLAST_OK);
  sortlast_tile_free(tile);
  CHECK(sortlast_compositor_close(compositor) == SORTLAST_OK);
  CHECK(sortlast_compositor_ranks(compositor, &count) == NULL && count == 0);
  sortlast_compositor_free(compositor);
}
