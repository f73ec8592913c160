// How pixels travel: options of the compositor, bounds, and images in its memory.
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

enum { WIDTH = 40, HEIGHT = 30, ROW = 4 * WIDTH };
static const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};

// A rank's image: rows of its own, the rest empty.
static void draw(int rank, float* colour, sortlast_rectangle* bounds) {
  const int64_t top = rank % (HEIGHT - 5);
  *bounds = (sortlast_rectangle){0, top, WIDTH, top + 5};
  memset(colour, 0, sizeof *colour * ROW * HEIGHT);
  for (int64_t i = top * ROW; i < (top + 5) * ROW; ++i)
    colour[i] = (float)((rank + 1) * (i % 7 + 1)) / 1024.0F;
}

// The sum of all ranks' images, which floats and float16 hold without rounding.
static void draw_sum(float* sum, float* scratch) {
  sortlast_rectangle bounds;
  memset(sum, 0, sizeof *sum * ROW * HEIGHT);
  for (int rank = 0; rank < world_size(); ++rank) {
    draw(rank, scratch, &bounds);
    for (int i = 0; i < ROW * HEIGHT; ++i) sum[i] += scratch[i];
  }
}

static sortlast_compositor* create(const sortlast_options* options) {
  sortlast_compositor* compositor = NULL;
  const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, options, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  return compositor;
}

// The tile's pixels are those of the image where its ranges say.
static void check_ranges(sortlast_tile_pixels tile, const float* expected, bool interleaved) {
  const float* pixels = tile.colour;
  int64_t count = 0;
  for (int64_t i = 0; i < tile.range_count; ++i) {
    const sortlast_range range = tile.ranges[i];
    CHECK(range.begin >= 0 && range.begin < range.end && range.end <= (int64_t)WIDTH * HEIGHT);
    const size_t bytes = (size_t)(range.end - range.begin) * 4 * sizeof(float);
    CHECK(memcmp(pixels + count * 4, expected + range.begin * 4, bytes) == 0);
    count += range.end - range.begin;
  }
  CHECK(count == tile.range.end - tile.range.begin);
  CHECK(interleaved || tile.range_count <= 1);
  if (tile.range_count == 0) CHECK(tile.ranges == NULL);
  // With up to 9 ranks there are blocks enough to deal out.
  const bool dealt = interleaved && world_size() > 1 && world_size() <= 9;
  if (dealt && count > 0) CHECK(tile.range.begin == 0 && tile.range_count > 1);
  if (!interleaved && tile.range_count == 1) CHECK(tile.range.begin == tile.ranges[0].begin);
}

// Add up the images, which lie in memory of the compositor on ranks of even number and have bounds on the
// first half of them; returns the bytes that this rank sent. `root`: where they will be gathered, if that is
// told.
static int64_t check_sum(const sortlast_options* options, const int32_t* root, const float* expected) {
  sortlast_compositor* compositor = create(options);
  sortlast_memory* memory = NULL;
  const size_t bytes = sizeof(float) * ROW * HEIGHT;
  const sortlast_status allocated = sortlast_compositor_allocate(compositor, (int64_t)bytes, &memory);
  CHECK_STATUS(SORTLAST_OK, allocated, sortlast_compositor_message(compositor));
  float* own = malloc(bytes);
  CHECK(own != NULL);
  float* colour = world_rank() % 2 == 0 ? sortlast_memory_data(memory) : own;
  sortlast_rectangle bounds;
  draw(world_rank(), colour, &bounds);
  const sortlast_image image = {colour, NULL, WIDTH,
                                HEIGHT, rgba, world_rank() < world_size() / 2 ? &bounds : NULL};
  const sortlast_composition add = {SIZED_COMPOSITION, .op = SORTLAST_ADD, .root = root};
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  sortlast_status status = sortlast_compositor_composite(compositor, &image, &add, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_timing timing = SORTLAST_TIMING_INIT;
  CHECK(sortlast_compositor_timing(compositor, &timing) == SORTLAST_OK);
  check_ranges(sortlast_tile_get(tile), expected, root != NULL);
  memset(colour, 0, bytes);
  status = sortlast_compositor_gather(compositor, tile, world_size() - 1, false, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  if (is_last_rank()) {
    const sortlast_image whole = sortlast_frame_image(frame);
    CHECK(whole.bounds == NULL);
    CHECK(memcmp(whole.colour, expected, bytes) == 0);
  }
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
  sortlast_memory_free(memory);
  free(own);
  return timing.bytes_sent;
}

static void check_memory(void) {
  sortlast_compositor* compositor = create(NULL);
  sortlast_memory* memory = NULL;
  CHECK(sortlast_compositor_allocate(compositor, 5000, &memory) == SORTLAST_OK);
  sortlast_memory_free(memory);
  CHECK(sortlast_compositor_allocate(compositor, -1, &memory) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "-1 bytes of memory");
  CHECK(memory == NULL);
  CHECK(sortlast_compositor_allocate(compositor, 5000, NULL) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "place for the memory");
  CHECK(sortlast_compositor_allocate(NULL, 5000, &memory) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_compositor_allocate(compositor, 0, &memory) == SORTLAST_OK);
  CHECK(memory != NULL && sortlast_memory_data(memory) == NULL);
  sortlast_memory_free(memory);

  // It outlives the compositor.
  CHECK(sortlast_compositor_allocate(compositor, 5000, &memory) == SORTLAST_OK);
  sortlast_compositor_free(compositor);
  unsigned char* data = sortlast_memory_data(memory);
  CHECK((uintptr_t)data % 64 == 0);
  for (int i = 0; i < 5000; ++i) CHECK(data[i] == 0);
  memset(data, 1, 5000);
  sortlast_memory_free(memory);
  sortlast_memory_free(NULL);
  CHECK(sortlast_memory_data(NULL) == NULL);
}

void test_travel(void) {
  const size_t bytes = sizeof(float) * ROW * HEIGHT;
  float* sum = malloc(bytes);
  float* scratch = malloc(bytes);
  CHECK(sum != NULL && scratch != NULL);
  draw_sum(sum, scratch);

  const int p = world_size();
  const int32_t last = p - 1;
  check_sum(NULL, NULL, sum);
  for (int32_t node_ranks = 0; node_ranks <= 3; ++node_ranks) {
    check_sum(WITH_2(node_ranks, node_ranks, check, false), NULL, sum);
    check_sum(WITH_2(node_ranks, node_ranks, wire, SORTLAST_WIRE_FLOAT16), NULL, sum);
    // "auto" might send such images straight to the root.
    if (node_ranks > 0 && node_ranks < p)
      check_sum(WITH_2(node_ranks, node_ranks, algorithm, "direct-send"), &last, sum);
  }

  // By messages, what is left out or halved is not sent.
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.algorithm = "shift";
  options.node_ranks = 1;
  const int64_t dense = (int64_t)sizeof(float) * ROW * HEIGHT / p * (p - 1);
  const int64_t sparse = check_sum(&options, NULL, sum);
  options.wire = SORTLAST_WIRE_FLOAT16;
  const int64_t half = check_sum(&options, NULL, sum);
  CHECK(sparse < dense / 2 || p == 1);
  int64_t sums[] = {sparse, half};  // a rank may send nothing but empty pixels
  MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(half <= sparse && (sums[1] < sums[0] || p == 1));

  check_memory();
  free(sum);
  free(scratch);
}
