// Every algorithm, operator and format against the serial oracle.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

#define SIZE sizeof(sortlast_composition)

// One frame to composite.
typedef struct Scene {
  int64_t width, height;
  sortlast_format format;
  sortlast_composition composition;
  int empty_rank;  // has no image; -1: none
} Scene;

// Largest difference of two stretches of `count` scalars: of their values, or for float16 of their bit
// patterns, which for positive numbers counts the numbers in between.
static double difference(int32_t scalar, const void* a, const void* b, int64_t count) {
  double largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    double one = 0;
    if (scalar == SORTLAST_FLOAT32) one = fabs((double)((const float*)a)[i] - (double)((const float*)b)[i]);
    if (scalar == SORTLAST_FLOAT16) one = fabs((double)((const uint16_t*)a)[i] - ((const uint16_t*)b)[i]);
    if (scalar == SORTLAST_UINT8) one = fabs((double)((const uint8_t*)a)[i] - ((const uint8_t*)b)[i]);
    if (one > largest) largest = one;
  }
  return largest;
}

static double tolerance(const Scene* scene) {
  const int32_t op = scene->composition.op;
  if (op == SORTLAST_CLOSEST || op == SORTLAST_MAX || op == SORTLAST_MIN) return 0;
  if (scene->format.scalar == SORTLAST_FLOAT32) return 1e-6 * world_size();
  if (scene->format.scalar == SORTLAST_FLOAT16) return 1 + world_size();
  return 2;
}

static size_t scalar_bytes(int32_t scalar) {
  return scalar == SORTLAST_FLOAT32 ? 4 : scalar == SORTLAST_FLOAT16 ? 2 : 1;
}

static void check_frame(sortlast_compositor* compositor, const Scene* scene) {
  const int p = world_size();
  sortlast_image* images = malloc((size_t)p * sizeof *images);
  CHECK(images != NULL);
  for (int rank = 0; rank < p; ++rank) {
    images[rank] = make_image(rank, scene->width, scene->height, scene->format);
    if (rank != scene->empty_rank) continue;
    free_image(images[rank]);
    images[rank].colour = images[rank].depth = NULL;
  }
  sortlast_frame* oracle = NULL;
  sortlast_status status = sortlast_composite_serial(images, p, &scene->composition, &oracle);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_frame_message(oracle));
  const sortlast_image expected = sortlast_frame_image(oracle);

  // Composite; the tile stays as it is while the next frame is made.
  sortlast_tile* tile = NULL;
  status = sortlast_compositor_composite(compositor, &images[world_rank()], &scene->composition, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_tile* next = NULL;
  status = sortlast_compositor_composite(compositor, &images[world_rank()], &scene->composition, &next);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_tile_free(next);

  // Compare this rank's pixels.
  const sortlast_tile_pixels mine = sortlast_tile_get(tile);
  const int64_t count = mine.range.end - mine.range.begin;
  const int32_t channels = scene->format.channels;
  const int32_t scalar = scene->format.scalar;
  if (count > 0) {
    const char* colour = expected.colour;
    colour += (size_t)(mine.range.begin * channels) * scalar_bytes(scalar);
    CHECK(difference(scalar, mine.colour, colour, count * channels) <= tolerance(scene));
    CHECK((mine.depth != NULL) == scene->format.depth);
    if (mine.depth != NULL)
      CHECK(memcmp(mine.depth, expected.depth + mine.range.begin, (size_t)count * sizeof(float)) == 0);
  }

  // Gather at the last rank.
  sortlast_frame* frame = NULL;
  status = sortlast_compositor_gather(compositor, tile, p - 1, scene->format.depth, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_tile_free(tile);
  CHECK((frame != NULL) == is_last_rank());
  if (frame != NULL) {
    const sortlast_image whole = sortlast_frame_image(frame);
    const int64_t n = scene->width * scene->height;
    CHECK(whole.width == scene->width && whole.height == scene->height);
    CHECK(whole.format.scalar == scalar && whole.format.depth == scene->format.depth);
    CHECK(difference(scalar, whole.colour, expected.colour, n * channels) <= tolerance(scene));
    if (n > 0 && scene->format.depth)
      CHECK(memcmp(whole.depth, expected.depth, (size_t)n * sizeof(float)) == 0);
  }
  sortlast_frame_free(frame);
  sortlast_frame_free(oracle);
  for (int rank = 0; rank < p; ++rank) free_image(images[rank]);
  free(images);
}

static void check_timing(sortlast_compositor* compositor, bool messages) {
  sortlast_timing timing = SORTLAST_TIMING_INIT;
  const sortlast_status status = sortlast_compositor_timing(compositor, &timing);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  CHECK(timing.size == sizeof timing && timing.late >= 0 && timing.late <= timing.agree);
  CHECK(timing.total > 0 && timing.total < 60 && timing.agree > 0 && timing.gather > 0);
  CHECK(timing.total >= timing.agree + timing.gather);
  int64_t mine[] = {timing.bytes_sent, timing.bytes_received, timing.messages_sent, timing.messages_received};
  int64_t all[4];
  MPI_Allreduce(mine, all, 4, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  CHECK(all[0] == all[1] && all[2] == all[3]);
  CHECK(all[0] > 0 || !messages);
}

static void check_algorithm(const char* algorithm, int32_t node_ranks) {
  const int p = world_size();
  int32_t* reversed = malloc((size_t)p * sizeof *reversed);
  int32_t* rotated = malloc((size_t)p * sizeof *rotated);
  CHECK(reversed != NULL && rotated != NULL);
  for (int i = 0; i < p; ++i) {
    reversed[i] = p - 1 - i;
    rotated[i] = (i + p / 2) % p;
  }
  const float white[] = {1, 1, 1, 1};
  sortlast_compositor* compositor = NULL;
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.algorithm = algorithm;
  options.ring = rotated;
  options.timeout = 30;
  options.node_ranks = node_ranks;
  const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  CHECK(strcmp(sortlast_compositor_algorithm(compositor), algorithm) == 0);
  sortlast_timing timing = SORTLAST_TIMING_INIT;
  CHECK(sortlast_compositor_timing(compositor, &timing) == SORTLAST_OK && timing.total == 0);

  for (int32_t op = SORTLAST_OVER; op <= SORTLAST_MIN; ++op) {
    for (int32_t scalar = SORTLAST_FLOAT32; scalar <= SORTLAST_UINT8; ++scalar) {
      const sortlast_format rgba = {scalar, 4, op == SORTLAST_CLOSEST};
      check_frame(compositor,
                  &(Scene){13, 7, rgba, {SIZE, op, reversed, NULL, true, {NULL, NULL}, NULL, 0, NULL}, -1});
      if (op == SORTLAST_OVER) continue;
      const sortlast_format rgb = {scalar, 3, true};
      check_frame(compositor,
                  &(Scene){5, 3, rgb, {SIZE, op, NULL, NULL, true, {NULL, NULL}, NULL, 0, NULL}, p / 2});
    }
  }
  const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};
  check_frame(
      compositor,
      &(Scene){13, 7, rgba, {SIZE, SORTLAST_OVER, rotated, white, true, {NULL, NULL}, NULL, 0, NULL}, 0});
  check_frame(compositor, &(Scene){2,
                                   1,
                                   rgba,
                                   {SIZE, SORTLAST_OVER, NULL, NULL, true, {NULL, NULL}, NULL, 0, NULL},
                                   -1});  // more ranks than pixels
  check_frame(compositor,
              &(Scene){0, 5, rgba, {SIZE, SORTLAST_OVER, NULL, NULL, true, {NULL, NULL}, NULL, 0, NULL}, -1});
  check_frame(
      compositor,
      &(Scene){64, 64, rgba, {SIZE, SORTLAST_OVER, reversed, NULL, true, {NULL, NULL}, NULL, 0, NULL}, -1});
  check_timing(compositor, p > 1 && node_ranks == 1);
  CHECK(strncmp(sortlast_compositor_algorithm(compositor), algorithm, strlen(algorithm)) == 0);
  sortlast_compositor_free(compositor);
  free(reversed);
  free(rotated);
}

void test_frames(void) {
  const char* usage = NULL;
  for (int32_t i = 0; (usage = sortlast_algorithm_usage(i)) != NULL; ++i) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(usage, "["), usage);
    check_algorithm(name, 0);
    check_algorithm(name, 1);
  }

  // All defaults, from a communicator that is freed at once and has other ranks than the world.
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), &reversed);
  sortlast_compositor* compositor = NULL;
  CHECK(sortlast_compositor_create(reversed, NULL, &compositor) == SORTLAST_OK);
  MPI_Comm_free(&reversed);
  CHECK(strcmp(sortlast_compositor_algorithm(compositor), "auto") == 0);
  const float colour[] = {0, 0, 0, (float)world_rank()};
  const sortlast_image image = {colour, NULL, 1, 1, {SORTLAST_FLOAT32, 4, false}, NULL};
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  const sortlast_composition most = {SIZED_COMPOSITION, .op = SORTLAST_MAX};
  CHECK(sortlast_compositor_composite(compositor, &image, &most, &tile) == SORTLAST_OK);
  CHECK(strcmp(sortlast_compositor_algorithm(compositor), "auto") != 0);  // but what it chose
  CHECK(sortlast_compositor_gather(compositor, tile, 0, false, &frame) == SORTLAST_OK);
  CHECK((frame != NULL) == is_last_rank());
  if (frame != NULL)
    CHECK(((const float*)sortlast_frame_image(frame).colour)[3] == (float)(world_size() - 1));
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
  sortlast_compositor_free(compositor);
}
