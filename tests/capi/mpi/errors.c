// Wrong and differing arguments: every rank gets the same error, soon, and can go on.
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

static const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};
static const float pixels[4 * 6];
static const float depths[6];

// That every rank has the same message, which holds `part`, and had it within 2 s of `begin`.
static void check_same(const char* message, const char* part, double begin) {
  CHECK(MPI_Wtime() - begin < 2);
  CHECK_HOLDS(message, part);
  char first[2048] = "";
  strncpy(first, message, sizeof first - 1);
  MPI_Bcast(first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK(strncmp(first, message, sizeof first - 1) == 0);
}

// What an argument that is wrong on the last rank alone gives on every rank.
static sortlast_status of_one_rank(void) {
  return world_size() == 1 ? SORTLAST_ERROR_ARGUMENT : SORTLAST_ERROR_MISMATCH;
}

// `options` on the last rank, defaults on the others.
static void check_creation(const sortlast_options* options, sortlast_status expected, const char* part) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  sortlast_compositor* compositor = NULL;
  const sortlast_status status =
      sortlast_compositor_create(MPI_COMM_WORLD, is_last_rank() ? options : NULL, &compositor);
  CHECK_STATUS(expected, status, sortlast_compositor_message(compositor));
  if (expected != SORTLAST_OK) check_same(sortlast_compositor_message(compositor), part, begin);
  sortlast_compositor_free(compositor);
}

void test_wrong_creation(void) {
  const int p = world_size();
  int32_t* zeros = calloc((size_t)p + 1, sizeof *zeros);
  CHECK(zeros != NULL);
  check_creation(WITH(algorithm, "shift"), p > 1 ? SORTLAST_ERROR_MISMATCH : SORTLAST_OK, "algorithm");
  check_creation(WITH(algorithm, "no-such"), of_one_rank(), "no-such");
  check_creation(WITH(timeout, -1), of_one_rank(), "timeout");
  check_creation(WITH(size, 0), of_one_rank(), "size of sortlast_options is 0");
  check_creation(WITH(wire, 2), of_one_rank(), "wire is number 2");
  check_creation(WITH(threads, -1), of_one_rank(), "threads");
  check_creation(WITH(node_ranks, -1), of_one_rank(), "node_ranks is -1");
  check_creation(WITH(deadline, -1), of_one_rank(), "deadline is -1 s;");
  const sortlast_status differ = p > 1 ? SORTLAST_ERROR_MISMATCH : SORTLAST_OK;
  check_creation(WITH(node_ranks, 1), differ, "node_ranks: ");
  check_creation(WITH(check, false), differ, "check: ");
  check_creation(WITH(wire, SORTLAST_WIRE_FLOAT16), differ, "wire: ");
  check_creation(WITH(deadline, 1), differ, "deadline: ");
  if (p > 1) check_creation(WITH(ring, zeros), of_one_rank(), "ring");
  free(zeros);

  // The same wrong algorithm on every rank; the handle holds the message and nothing else.
  sortlast_compositor* compositor = NULL;
  double begin = MPI_Wtime();
  sortlast_status status =
      sortlast_compositor_create(MPI_COMM_WORLD, WITH(algorithm, "radix-k:0"), &compositor);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  check_same(sortlast_compositor_message(compositor), "radix-k", begin);
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  CHECK(sortlast_compositor_composite(compositor, NULL, NULL, &tile) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "was not made");
  CHECK(sortlast_compositor_gather(compositor, NULL, 0, false, &frame) == SORTLAST_ERROR_ARGUMENT);
  CHECK(strcmp(sortlast_compositor_algorithm(compositor), "") == 0);
  sortlast_timing timing = SORTLAST_TIMING_INIT;
  CHECK(sortlast_compositor_timing(compositor, &timing) == SORTLAST_ERROR_ARGUMENT && timing.total == 0);
  CHECK(strcmp(sortlast_compositor_explain(compositor), "") == 0);
  sortlast_compositor_free(compositor);

  // No place for the compositor on the last rank.
  begin = MPI_Wtime();
  compositor = NULL;
  status = sortlast_compositor_create(MPI_COMM_WORLD, NULL, is_last_rank() ? NULL : &compositor);
  CHECK(status == of_one_rank() && MPI_Wtime() - begin < 2);
  if (!is_last_rank())
    CHECK_HOLDS(sortlast_compositor_message(compositor), "the place for the result is NULL");
  sortlast_compositor_free(compositor);

  // No communicator, and no handle.
  status = sortlast_compositor_create(MPI_COMM_NULL, NULL, &compositor);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "MPI_COMM_NULL");
  sortlast_compositor_free(compositor);
  CHECK(sortlast_compositor_composite(NULL, NULL, NULL, &tile) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_compositor_gather(NULL, NULL, 0, false, &frame) == SORTLAST_ERROR_ARGUMENT);
  CHECK(strcmp(sortlast_compositor_message(NULL), "") == 0);
  CHECK(strcmp(sortlast_compositor_algorithm(NULL), "") == 0);
  sortlast_compositor_free(NULL);
}

// The arguments that are right, for a 3x2 image.
static const sortlast_image good = {pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 4, false}, NULL};
static const sortlast_composition over = SORTLAST_COMPOSITION_INIT;

// Composite with these arguments on ranks from `first` on, the right ones on the others.
static void check_frame(sortlast_compositor* compositor, int first, const sortlast_image* image,
                        const sortlast_composition* composition, sortlast_status expected, const char* part) {
  const bool here = world_rank() >= first;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  sortlast_tile* tile = NULL;
  const sortlast_status status =
      sortlast_compositor_composite(compositor, here ? image : &good, here ? composition : &over, &tile);
  CHECK_STATUS(expected, status, sortlast_compositor_message(compositor));
  CHECK((tile != NULL) == (status == SORTLAST_OK));
  if (expected != SORTLAST_OK) check_same(sortlast_compositor_message(compositor), part, begin);
  sortlast_tile_free(tile);
}

// Arguments that are right by themselves, but differ between ranks.
static void check_mismatches(sortlast_compositor* compositor) {
  const int last = world_size() - 1;
  const sortlast_status expected = last > 0 ? SORTLAST_ERROR_MISMATCH : SORTLAST_OK;
  const float white[] = {1, 1, 1, 1};
  sortlast_image image = good;
  image.width = 2;
  check_frame(compositor, last, &image, &over, expected, "size: 3x2 on rank");
  image = good;
  image.format.scalar = SORTLAST_UINT8;
  check_frame(compositor, last, &image, &over, expected, "format: RGBA float32 on rank");
  check_frame(compositor, last, &good, &(sortlast_composition){SIZED_COMPOSITION, .op = SORTLAST_ADD},
              expected, "op: over");
  check_frame(compositor, last, &good, &(sortlast_composition){SIZED_COMPOSITION, .background = white},
              expected, "background");
  int32_t order[64];
  for (int i = 0; i <= last; ++i) order[i] = last - i;
  check_frame(compositor, last, &good, &(sortlast_composition){SIZED_COMPOSITION, .order = order}, expected,
              "order");
}

// Arguments that are wrong by themselves, on the last rank or on all.
static void check_wrong(sortlast_compositor* compositor, const sortlast_image* image,
                        const sortlast_composition* composition, const char* part) {
  check_frame(compositor, world_size() - 1, image, composition, of_one_rank(), part);
  check_frame(compositor, 0, image, composition, SORTLAST_ERROR_ARGUMENT, part);
}

void test_wrong_frames(void) {
  sortlast_compositor* compositor = NULL;
  CHECK(sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor) == SORTLAST_OK);
  check_mismatches(compositor);

  check_wrong(compositor, NULL, &over, "the image is NULL");
  check_wrong(compositor, &good, &(sortlast_composition){SIZED_COMPOSITION, .op = 5}, "op is number 5");
  check_wrong(compositor, &good, &(sortlast_composition){SIZED_COMPOSITION, .op = SORTLAST_CLOSEST}, "depth");
  check_wrong(compositor, &(sortlast_image){pixels, NULL, 3, 2, {-1, 4, false}, NULL}, &over, "number -1");
  check_wrong(compositor, &(sortlast_image){pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 3, false}, NULL}, &over,
              "alpha");
  check_wrong(compositor, &(sortlast_image){pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 5, false}, NULL}, &over,
              "5");
  check_wrong(compositor, &(sortlast_image){pixels, NULL, 3, 2, {SORTLAST_FLOAT32, 4, true}, NULL}, &over,
              "no depth");
  sortlast_image boxed = good;
  boxed.bounds = &(sortlast_rectangle){0, 0, 4, 2};
  check_wrong(compositor, &boxed, &over, "bounds are x 0 to 4, y 0 to 2");
  check_wrong(compositor, &(sortlast_image){pixels, NULL, -3, 2, rgba, NULL}, &over, "-3x2");
  int32_t order[64];
  for (int i = 0; i < world_size(); ++i) order[i] = world_size();
  check_wrong(compositor, &good, &(sortlast_composition){SIZED_COMPOSITION, .order = order}, "order");

  // No place for the tile on the last rank.
  sortlast_tile* tile = NULL;
  const double begin = MPI_Wtime();
  const sortlast_status status =
      sortlast_compositor_composite(compositor, &good, &over, is_last_rank() ? NULL : &tile);
  CHECK_STATUS(of_one_rank(), status, sortlast_compositor_message(compositor));
  check_same(sortlast_compositor_message(compositor), "place for the tile", begin);
  CHECK(tile == NULL);

  // After all that, it works.
  check_frame(compositor, 0, &good, &over, SORTLAST_OK, "");
  sortlast_compositor_free(compositor);
}

static void check_gather(sortlast_compositor* compositor, const sortlast_tile* tile, int root,
                         bool with_depth, sortlast_status expected, const char* part) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  sortlast_frame* frame = NULL;
  const sortlast_status status = sortlast_compositor_gather(compositor, tile, root, with_depth, &frame);
  CHECK_STATUS(expected, status, sortlast_compositor_message(compositor));
  CHECK((frame != NULL) == (status == SORTLAST_OK && root == world_rank()));
  if (expected != SORTLAST_OK) check_same(sortlast_compositor_message(compositor), part, begin);
  sortlast_frame_free(frame);
}

void test_wrong_gather(void) {
  const int p = world_size();
  sortlast_compositor* compositor = NULL;
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  CHECK(sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor) == SORTLAST_OK);
  CHECK(sortlast_compositor_composite(compositor, &good, &over, &tile) == SORTLAST_OK);

  check_gather(compositor, tile, p, false, SORTLAST_ERROR_ARGUMENT, "root");
  check_gather(compositor, tile, -1, false, SORTLAST_ERROR_ARGUMENT, "root");
  check_gather(compositor, tile, 0, true, SORTLAST_ERROR_ARGUMENT, "depth");
  check_gather(compositor, NULL, 0, false, SORTLAST_ERROR_ARGUMENT, "the tile is NULL");
  check_gather(compositor, is_last_rank() ? NULL : tile, 0, false, of_one_rank(), "the tile is NULL");
  if (p > 1) {
    check_gather(compositor, tile, is_last_rank() ? 1 : 0, false, SORTLAST_ERROR_MISMATCH, "root");

    // One rank gathers while the others composite.
    const double begin = MPI_Wtime();
    sortlast_tile* other = NULL;
    const sortlast_status status = is_last_rank()
                                       ? sortlast_compositor_gather(compositor, tile, 0, false, &frame)
                                       : sortlast_compositor_composite(compositor, &good, &over, &other);
    CHECK_STATUS(SORTLAST_ERROR_MISMATCH, status, sortlast_compositor_message(compositor));
    check_same(sortlast_compositor_message(compositor), "call", begin);
    CHECK(frame == NULL && other == NULL);
  }
  const sortlast_status status =
      sortlast_compositor_gather(compositor, tile, 0, false, is_last_rank() ? NULL : &frame);
  CHECK_STATUS(of_one_rank(), status, sortlast_compositor_message(compositor));
  check_gather(compositor, tile, 0, false, SORTLAST_OK, "");
  sortlast_tile_free(tile);

  // A tile with depth.
  const sortlast_image deep = {pixels, depths, 3, 2, {SORTLAST_FLOAT32, 4, true}, NULL};
  CHECK(sortlast_compositor_composite(compositor, &deep, &over, &tile) == SORTLAST_OK);
  check_gather(compositor, tile, p - 1, true, SORTLAST_OK, "");
  check_gather(compositor, tile, p - 1, false, SORTLAST_OK, "");
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
  CHECK(sortlast_tile_get(NULL).colour == NULL);
  sortlast_tile_free(NULL);
}
