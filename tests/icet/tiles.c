// Several tiles: pictures, who gets which, what is drawn how often, and which ranks draw where.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const struct {
  int number;
  IceTInt tiles[4][4];  // {x, y, width, height}
} displays[] = {
    {1, {{3, -2, 21, 17}}},
    {2, {{0, 0, 16, 12}, {16, 0, 16, 12}}},
    {4, {{0, 0, 10, 8}, {10, 0, 10, 8}, {0, 8, 10, 8}, {10, 8, 10, 8}}},
    {3, {{-4, 0, 10, 8}, {9, 2, 21, 5}, {0, 11, 7, 13}}},
    {4, {{5, 5, 1, 1}, {6, 5, 30, 2}, {5, 6, 1, 20}, {40, 30, 8, 8}}},
};

static IceTInt global[4];

// The rectangle of the picture that a rank draws in; one draws nowhere, one everywhere.
static void own_rectangle(int rank, IceTInt* rectangle) {
  const uint32_t random = scramble((uint32_t)rank + 17U);
  rectangle[2] = rank == 2 ? global[2] : 1 + (IceTInt)(random % (uint32_t)global[2]);
  rectangle[3] = rank == 2 ? global[3] : 1 + (IceTInt)(random / 64 % (uint32_t)global[3]);
  rectangle[0] = global[0] + (IceTInt)(random / 4096 % (uint32_t)(global[2] - rectangle[2] + 1));
  rectangle[1] = global[1] + (IceTInt)(random / 65536 % (uint32_t)(global[3] - rectangle[3] + 1));
}

static bool lies_in_own(int rank, int x, int y) {
  IceTInt own[4];
  own_rectangle(rank, own);
  return rank != 1 && x >= own[0] && x < own[0] + own[2] && y >= own[1] && y < own[1] + own[3];
}

static bool overlap(const IceTInt* a, const IceTInt* b) {
  return a[0] < b[0] + b[2] && b[0] < a[0] + a[2] && a[1] < b[1] + b[3] && b[1] < a[1] + a[3];
}

// As seen without projection: -1..1 is the global viewport. A quarter of a pixel smaller, which rounding
// enlarges.
static void bound_own_rectangle(void) {
  IceTInt own[4];
  own_rectangle(world_rank(), own);
  double low[2];
  double high[2];
  for (int i = 0; i < 2; ++i) {
    low[i] = 2 * (own[i] + 0.25 - global[i]) / global[2 + i] - 1;
    high[i] = 2 * (own[i] + own[2 + i] - 0.25 - global[i]) / global[2 + i] - 1;
  }
  const IceTDouble far_away = 1e30;
  if (world_rank() == 1) {
    icetBoundingVertices(1, ICET_DOUBLE, 0, 1, &far_away);
  } else {
    icetBoundingBoxf((float)low[0], (float)high[0], (float)low[1], (float)high[1], -1, 1);
  }
}

// Compare what can be asked about who draws where with the rectangles.
static void check_contained(size_t d, bool several) {
  const int n = displays[d].number;
  const int p = world_size();
  IceTInt* masks = allocate((size_t)(n * p) * sizeof *masks);
  IceTInt* counts = allocate((size_t)n * sizeof *counts);
  IceTInt* list = allocate((size_t)n * sizeof *list);
  IceTBoolean* mask = allocate((size_t)n);
  IceTInt number = -1;
  IceTInt total = -1;
  icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &number);
  icetGetIntegerv(ICET_CONTAINED_TILES_LIST, list);
  icetGetBooleanv(ICET_CONTAINED_TILES_MASK, mask);
  icetGetIntegerv(ICET_TOTAL_IMAGE_COUNT, &total);
  icetGetIntegerv(ICET_TILE_CONTRIB_COUNTS, counts);
  icetGetIntegerv(ICET_ALL_CONTAINED_TILES_MASKS, masks);
  int expected_total = 0;
  int mine = 0;
  for (int tile = 0; tile < n; ++tile) {
    int drawn = 0;
    for (int rank = 0; rank < p; ++rank) {
      IceTInt own[4];
      own_rectangle(rank, own);
      const bool draws = rank != 1 && overlap(own, displays[d].tiles[tile]);
      if (several) CHECK(masks[rank * n + tile] == draws);
      drawn += draws;
      if (rank != world_rank()) continue;
      CHECK(mask[tile] == draws);
      if (draws) CHECK(list[mine++] == tile);
    }
    if (several) CHECK(counts[tile] == drawn);
    expected_total += drawn;
  }
  CHECK(number == mine);
  if (several) CHECK(total == expected_total);
  free(masks);
  free(counts);
  free(list);
  free(mask);
}

// Draw on a display whose tile i the rank order[i] shows. Returns how often the callback was called.
static int check_scene(const Scene* scene, size_t d, const IceTInt* order) {
  set_scene(scene);
  const IceTImage image = draw_frame(scene);
  CHECK_ERROR(ICET_NO_ERROR);
  int shown = -1;
  for (int i = 0; i < displays[d].number; ++i)
    if (order[i] == world_rank()) shown = i;
  IceTInt displayed = -2;
  icetGetIntegerv(ICET_TILE_DISPLAYED, &displayed);
  CHECK(displayed == shown && icetImageIsNull(image) == (shown < 0));
  if (shown >= 0) check_tile(scene, image, displays[d].tiles[shown]);
  return calls_of_draw_scene;
}

static void check_display(size_t d, const IceTInt* order) {
  const int n = displays[d].number;
  icetResetTiles();
  for (int i = 0; i < n; ++i) {
    const IceTInt* tile = displays[d].tiles[i];
    CHECK(icetAddTile(tile[0], tile[1], tile[2], tile[3], order[i]) == i);
  }
  icetGetIntegerv(ICET_GLOBAL_VIEWPORT, global);
  bound_own_rectangle();
  Scene scene = nearest_scene((uint32_t)d);
  scene.covers = lies_in_own;
  for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);

  // Once for each tile; or once for all, if that fits into the window.
  IceTInt touched = -1;
  IceTInt own[4];
  own_rectangle(world_rank(), own);
  icetDisable(ICET_FLOATING_VIEWPORT);
  int calls = check_scene(&scene, d, order);
  icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &touched);
  CHECK(calls == touched);
  check_contained(d, n > 1);
  icetEnable(ICET_FLOATING_VIEWPORT);
  IceTInt width = 0;
  IceTInt height = 0;
  icetGetIntegerv(ICET_TILE_MAX_WIDTH, &width);
  icetGetIntegerv(ICET_TILE_MAX_HEIGHT, &height);
  calls = check_scene(&scene, d, order);
  CHECK(calls == (touched > 1 && own[2] <= width && own[3] <= height ? 1 : touched));
  icetPhysicalRenderSize(100, 90);
  calls = check_scene(&scene, d, order);
  CHECK(calls == (touched > 1 ? 1 : touched));

  // Ranks that draw with others are called everywhere, or once.
  icetEnable(ICET_RENDER_EMPTY_IMAGES);
  calls = check_scene(&scene, d, order);
  CHECK(calls >= 1);
  icetDisable(ICET_FLOATING_VIEWPORT);
  CHECK(check_scene(&scene, d, order) == n);
  icetDisable(ICET_RENDER_EMPTY_IMAGES);
  icetEnable(ICET_FLOATING_VIEWPORT);

  Scene blended = blended_scene((uint32_t)d, order);
  blended.covers = lies_in_own;
  memcpy(blended.background, scene.background, sizeof blended.background);
  check_scene(&blended, d, order);
  blended.correct_background = true;
  blended.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  check_scene(&blended, d, order);
}

void test_tiles(void) {
  const IceTContext context = make_context();
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  for (size_t d = 0; d < sizeof displays / sizeof *displays; ++d) {
    if (displays[d].number > world_size()) continue;
    random_order((uint32_t)d, order);
    for (IceTEnum strategy = ICET_STRATEGY_DIRECT; strategy <= ICET_STRATEGY_REDUCE; ++strategy) {
      if (strategy == ICET_STRATEGY_SPLIT) continue;  // does not blend in order
      icetStrategy(strategy);
      check_display(d, order);
    }
  }
  free(order);
  end_context(context);
}

// A tile for each rank, in which nobody draws but rank 0 in its own.
static bool is_rank_0(int rank, int x, int y) {
  (void)x, (void)y;
  return rank == 0;
}

void test_empty_tiles(void) {
  const IceTContext context = make_context();
  const int p = world_size();
  for (int i = 0; i < p; ++i) CHECK(icetAddTile(4 * i, 0, 4, 4, p - 1 - i) == i);
  icetBoundingBoxd(world_rank() == 0 ? -1 : 3, world_rank() == 0 ? -1 + 1.9 / p : 4, -1, 1, -1, 1);
  Scene scene = nearest_scene(2);
  scene.covers = is_rank_0;
  for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
  const IceTInt mine = p - 1 - world_rank();
  const IceTInt tile[4] = {4 * mine, 0, 4, 4};
  for (int blends = 0; blends < 3; ++blends) {
    IceTInt* order = allocate((size_t)p * sizeof *order);
    random_order(2, order);
    if (blends > 0) {
      const Scene over = blended_scene(2, order);
      scene.mode = over.mode;
      scene.depth_format = over.depth_format;
      scene.order = order;
    }
    scene.correct_background = blends == 2;
    set_scene(&scene);
    const IceTImage image = draw_frame(&scene);
    CHECK_ERROR(ICET_NO_ERROR);
    CHECK(calls_of_draw_scene == (world_rank() == 0));
    if (mine == 0) {
      check_tile(&scene, image, tile);
    } else {
      const bool shows = blends != 1;
      for (size_t i = 0; i < 16; ++i)
        for (size_t c = 0; c < 4; ++c)
          CHECK(icetImageGetColorcub(image)[4 * i + c] == (shows ? 51 * (c + 1) : 0));
      if (blends == 0) CHECK(icetImageGetDepthcf(image)[3] == 1);
    }
    free(order);
  }
  end_context(context);
}

void test_wrong_tiles(void) {
  const IceTContext context = make_context();
  icetDiagnostics(ICET_DIAG_OFF);
  const int p = world_size();
  CHECK(icetAddTile(0, 0, 8, 8, 0) == 0);
  CHECK_ERROR(ICET_NO_ERROR);
  static const IceTInt wrong[][4] = {
      {8, 0, 0, 8},          {8, 0, 8, 0},           {8, 0, -8, 8},          {0x7ffffffa, 0, 8, 8},
      {0, 0x7ffffffa, 8, 8}, {-0x7fffffff, 0, 8, 8}, {0, -0x7fffffff, 8, 8}, {8, 0, 0x10000, 0x10000}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    CHECK(icetAddTile(wrong[i][0], wrong[i][1], wrong[i][2], wrong[i][3], p - 1) == -1);
    CHECK_ERROR(ICET_INVALID_VALUE);
  }
  CHECK(icetAddTile(8, 0, 8, 8, -1) == -1);
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK(icetAddTile(8, 0, 8, 8, p) == -1);
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK(icetAddTile(8, 0, 8, 8, 0) == -1);  // displays one already
  CHECK_ERROR(ICET_INVALID_VALUE);
  IceTInt number = 0;
  icetGetIntegerv(ICET_NUM_TILES, &number);
  CHECK(number == 1);
  icetPhysicalRenderSize(-1, 8);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetPhysicalRenderSize(7, 8);  // a warning, and done
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, &number);
  CHECK(number == 7);
  icetResetTiles();
  icetGetIntegerv(ICET_NUM_TILES, &number);
  CHECK(number == 0);
  end_context(context);
}
