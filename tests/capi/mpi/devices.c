// Images in the memory of GPUs, of the fake driver that CMakeLists.txt names. What is in that memory cannot
// be seen from here, so most of it holds zeros, and frames come to the host.
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

enum { WIDTH = 12, HEIGHT = 5, SCALARS = WIDTH * HEIGHT * 4 };

static const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};

// Rank 0 has drawn on the host; the others have empty images on the GPU.
static void check_mixed_ranks(sortlast_compositor* compositor, const float* drawn) {
  const sortlast_device device = SORTLAST_DEVICE_INIT;
  sortlast_composition add = {SIZED_COMPOSITION, .op = SORTLAST_ADD};
  sortlast_image image = {drawn, NULL, WIDTH, HEIGHT, rgba, NULL};
  sortlast_memory* memory = NULL;
  if (world_rank() > 0) {
    const int64_t bytes = SCALARS * sizeof(float);
    CHECK(sortlast_compositor_allocate_on_device(compositor, bytes, 0, &memory) == SORTLAST_OK);
    CHECK((uintptr_t)sortlast_memory_data(memory) % 256 == 0);
    image.colour = sortlast_memory_data(memory);
    add.device = &device;
  }
  float* frame = malloc(SCALARS * sizeof(float));
  CHECK(frame != NULL);
  for (int i = 0; i < 3; ++i) {
    sortlast_tile* tile = NULL;
    sortlast_status status = sortlast_compositor_composite(compositor, &image, &add, &tile);
    CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
    const int root = i % world_size();
    status = sortlast_compositor_gather_into(compositor, tile, root, false, (sortlast_pixels){frame, NULL});
    CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
    if (world_rank() == root) CHECK(memcmp(frame, drawn, SCALARS * sizeof(float)) == 0);
    sortlast_tile_free(tile);
  }
  free(frame);
  sortlast_memory_free(memory);
}

static void check_errors(sortlast_compositor* compositor, const float* drawn) {
  sortlast_memory* memory = NULL;
  CHECK(sortlast_compositor_allocate_on_device(compositor, -1, 0, &memory) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_compositor_allocate_on_device(compositor, 1, 7, &memory) == SORTLAST_ERROR_INTERNAL);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "GPU 7");
  CHECK(memory == NULL);
  CHECK(sortlast_compositor_allocate_on_device(NULL, 1, 0, &memory) == SORTLAST_ERROR_ARGUMENT);

  const sortlast_device device = SORTLAST_DEVICE_INIT;
  const sortlast_device small = {1, NULL};
  const sortlast_image image = {drawn, NULL, WIDTH, HEIGHT, rgba, NULL};
  const sortlast_composition composition = {SIZED_COMPOSITION, .device = is_last_rank() ? &device : NULL};
  sortlast_tile* tile = NULL;
  const sortlast_status status = sortlast_compositor_composite(compositor, &image, &composition, &tile);
  const sortlast_status expected = world_size() == 1 ? SORTLAST_ERROR_ARGUMENT : SORTLAST_ERROR_MISMATCH;
  CHECK_STATUS(expected, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "memory of the host");
  const sortlast_composition wrong = {SIZED_COMPOSITION, .device = &small};
  CHECK(sortlast_compositor_composite(compositor, &image, &wrong, &tile) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "SORTLAST_DEVICE_INIT");
  CHECK(tile == NULL);
}

void test_devices(void) {
  sortlast_compositor* compositor = NULL;
  const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  float drawn[SCALARS];
  for (int i = 0; i < SCALARS; ++i) drawn[i] = (float)i / (float)SCALARS;
  check_mixed_ranks(compositor, drawn);
  check_errors(compositor, drawn);
  sortlast_compositor_free(compositor);
}
