// ICET_COLLECT_IMAGES disabled: every rank keeps the part of the tile that it composited, and the parts of
// all make up the tile.
#include <stdlib.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const IceTInt tile[4] = {0, 0, 37, 23};

// Check that the ranks' ranges cover each pixel of the tile once.
static void check_partition(IceTInt offset, IceTInt number) {
  const int n = tile[2] * tile[3];
  int* times = calloc((size_t)n, sizeof *times);
  CHECK(times != NULL && offset >= 0 && number >= 0 && offset + number <= n);
  for (int i = offset; i < offset + number; ++i) ++times[i];
  MPI_Allreduce(MPI_IN_PLACE, times, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < n; ++i) CHECK(times[i] == 1);
  free(times);
}

static void check_scene(const Scene* scene) {
  set_scene(scene);
  const IceTImage image = draw_frame(scene);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTInt valid[3];
  icetGetIntegerv(ICET_VALID_PIXELS_TILE, &valid[0]);
  icetGetIntegerv(ICET_VALID_PIXELS_OFFSET, &valid[1]);
  icetGetIntegerv(ICET_VALID_PIXELS_NUM, &valid[2]);
  CHECK(valid[0] == (valid[2] > 0 ? 0 : -1));
  check_partition(valid[1], valid[2]);
  if (valid[2] > 0) check_pixels(scene, image, tile, valid[1], valid[2]);
}

static bool draws_nothing(int rank, int x, int y) {
  (void)rank, (void)x, (void)y;
  return false;
}

static void check_all(uint32_t seed) {
  Scene scene = nearest_scene(seed);
  for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
  check_scene(&scene);
  scene.covers = draws_nothing;
  check_scene(&scene);
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  random_order(seed, order);
  scene = blended_scene(seed, order);
  for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
  scene.correct_background = true;
  scene.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  scene.depth_format = ICET_IMAGE_DEPTH_FLOAT;
  check_scene(&scene);
  free(order);
}

void test_left_images(void) {
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], world_size() - 1);
  icetDisable(ICET_COLLECT_IMAGES);
  static const IceTEnum strategies[] = {ICET_STRATEGY_DIRECT, ICET_STRATEGY_SEQUENTIAL, ICET_STRATEGY_REDUCE};
  for (uint32_t s = 0; s < 3; ++s) {
    icetStrategy(strategies[s]);
    for (IceTEnum single = ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC;
         single <= ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING; ++single) {
      icetSingleImageStrategy(single);
      check_all(10 * s + single);
    }
  }
  icetEnable(ICET_COLLECT_IMAGES);
  Scene scene = nearest_scene(3);
  set_scene(&scene);
  const IceTImage image = draw_frame(&scene);
  if (is_last_rank()) check_tile(&scene, image, tile);
  IceTInt valid[3];
  icetGetIntegerv(ICET_VALID_PIXELS_TILE, &valid[0]);
  icetGetIntegerv(ICET_VALID_PIXELS_OFFSET, &valid[1]);
  icetGetIntegerv(ICET_VALID_PIXELS_NUM, &valid[2]);
  CHECK(valid[0] == (is_last_rank() ? 0 : -1));
  CHECK(valid[1] == 0 && valid[2] == (is_last_rank() ? tile[2] * tile[3] : 0));
  end_context(context);
}

// Of several tiles a rank would keep several parts, for which the interface has no place: they are collected,
// and a warning says so.
void test_left_images_of_tiles(void) {
  if (world_size() < 2) return;
  const IceTContext context = make_context();
  const IceTInt tiles[2][4] = {{0, 0, 8, 8}, {8, 0, 8, 8}};
  icetAddTile(0, 0, 8, 8, 0);
  icetAddTile(8, 0, 8, 8, 1);
  icetDisable(ICET_COLLECT_IMAGES);
  Scene scene = nearest_scene(3);
  set_scene(&scene);
  begin_capture();
  const IceTImage image = draw_frame(&scene);
  const char* printed = end_capture();
  CHECK_HOLDS(printed, "WARNING");
  CHECK_HOLDS(printed, "ICET_COLLECT_IMAGES");
  CHECK_ERROR(ICET_INVALID_OPERATION);
  if (world_rank() < 2) check_tile(&scene, image, tiles[world_rank()]);
  end_context(context);
}
