// Ranks that ask for different frames: each of them gets an error, soon, that says what differs on which
// ranks, and the next frame is right again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static IceTInt* order;     // of all ranks
static IceTInt* reversed;  // the other way round

static void set_up(void) {
  icetResetTiles();
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], 0);
  icetStrategy(ICET_STRATEGY_REDUCE);
  icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC);
  icetEnable(ICET_COLLECT_IMAGES);
  icetEnable(ICET_INTERLACE_IMAGES);
  const Scene scene = blended_scene(5, order);
  set_scene(&scene);
}

static void check_right_frame(void) {
  set_up();
  const Scene scene = blended_scene(5, order);
  check_frame_of_scene(&scene);
}

static void set_other_strategy(void) { icetStrategy(ICET_STRATEGY_DIRECT); }
static void set_other_single_image(void) { icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_BSWAP); }
static void set_other_tile(void) {
  icetResetTiles();
  icetAddTile(0, 0, 9, 8, 0);
}
static void set_other_display(void) {
  icetResetTiles();
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], world_size() - 1);
}
static void set_more_tiles(void) { icetAddTile(9, 0, 4, 4, world_size() - 1); }
static void set_other_colours(void) { icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT); }
static void set_other_depth(void) { icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT); }
static void set_other_mode(void) {
  icetSetDepthFormat(ICET_IMAGE_DEPTH_FLOAT);
  icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER);
}
static void set_other_order(void) { icetCompositeOrder(reversed); }
static void set_no_order(void) { icetDisable(ICET_ORDERED_COMPOSITE); }
static void set_no_collection(void) { icetDisable(ICET_COLLECT_IMAGES); }
static void set_no_interlacing(void) { icetDisable(ICET_INTERLACE_IMAGES); }
static void set_correction(void) { icetEnable(ICET_CORRECT_COLORED_BACKGROUND); }
static void set_no_callback(void) { icetDrawCallback(NULL); }
static void set_no_tiles(void) { icetResetTiles(); }
static void set_no_window(void) { icetPhysicalRenderSize(0, 0); }
static void set_colours_without_alpha(void) { icetSetColorFormat(ICET_IMAGE_COLOR_RGB_FLOAT); }
static void set_no_depth(void) { icetCompositeMode(ICET_COMPOSITE_MODE_Z_BUFFER); }

static const struct {
  void (*set)(void);
  const char* what;  // the message names it
} differences[] = {
    {set_other_strategy, "strategy: 0x6004 on"},
    {set_other_single_image, "single image strategy: 0x7001 on"},
    {set_other_tile, "tiles: 9x7+0+0@0 on"},
    {set_other_display, "tiles: 9x7+0+0@0 on"},
    {set_more_tiles, "tiles: 9x7+0+0@0 on"},
    {set_other_colours, "colour format: 0xC001 on"},
    {set_other_depth, "depth format: 0xD000 on"},
    {set_other_mode, "composite mode: 0x302 on"},
    {set_other_order, "composite order: "},
    {set_no_order, "ordered: yes on"},
    {set_no_collection, "collect images: yes on"},
    {set_no_interlacing, "interlace images: yes on"},
    {set_correction, "correct background: no on"},
};

// What is wrong with one rank's frame.
static const struct {
  void (*set)(void);
  const char* what;
} problems[] = {
    {set_no_callback, "no draw callback"},
    {set_no_tiles, "no tile"},
    {set_no_window, "the physical render size is 0"},
    {set_colours_without_alpha, "colours with alpha"},
    {set_no_depth, "wants a depth"},
};

// A frame for which every rank gets an error; what this one printed of it.
static const char* refused_frame(IceTEnum code) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin_capture();
  const IceTImage image = draw_frame(&(Scene){.seed = 5});
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image));
  CHECK(icetGetError() == code);
  CHECK_HOLDS(printed, ":ERROR: ");
  return printed;
}

static void check_ranks_named(const char* printed) {
  char last[32];
  snprintf(last, sizeof last, "on rank %d", world_size() - 1);
  CHECK_HOLDS(printed, last);
}

void test_differing_ranks(void) {
  const IceTContext context = make_context();
  const int p = world_size();
  order = allocate((size_t)p * sizeof *order);
  reversed = allocate((size_t)p * sizeof *reversed);
  for (int i = 0; i < p; ++i) order[i] = reversed[p - 1 - i] = i;
  for (size_t i = 0; i < sizeof differences / sizeof *differences && p > 1; ++i) {
    set_up();
    if (is_last_rank()) differences[i].set();
    CHECK_ERROR(ICET_NO_ERROR);
    const char* printed = refused_frame(ICET_INVALID_VALUE);
    CHECK_HOLDS(printed, differences[i].what);
    check_ranks_named(printed);
    check_right_frame();
  }
  for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i) {
    set_up();
    icetDiagnostics(ICET_DIAG_OFF);  // a window of no pixels is a warning
    if (is_last_rank()) problems[i].set();
    icetGetError();
    icetDiagnostics(ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS);
    const char* printed = refused_frame(p > 1 ? ICET_INVALID_VALUE : ICET_INVALID_OPERATION);
    CHECK_HOLDS(printed, problems[i].what);
    if (p > 1) check_ranks_named(printed);
    check_right_frame();
  }
  free(order);
  free(reversed);
  end_context(context);
}

// One rank gives an image, the others draw.
void test_differing_calls(void) {
  if (world_size() < 2) return;
  const IceTContext context = make_context();
  icetAddTile(0, 0, 1, 1, 0);
  Scene scene = nearest_scene(2);
  set_scene(&scene);
  const IceTUByte colour[4] = {1, 2, 3, 4};
  const IceTFloat depth = 0;
  begin_capture();
  const IceTImage image = is_last_rank()
                              ? icetCompositeImage(colour, &depth, NULL, NULL, NULL, scene.background)
                              : draw_frame(&scene);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image));
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK_HOLDS(printed, "frame: icetDrawFrame on");
  CHECK_HOLDS(printed, "icetCompositeImage on rank");
  end_context(context);
}

// A frame begun in the draw callback of a frame, and settings changed there of which the frame is made.
static int calls;
static void misbehave(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                      const IceTInt* readback, IceTImage result) {
  ++calls;
  const IceTContext context = icetGetContext();
  CHECK(icetImageIsNull(icetDrawFrame(projection, modelview, background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(icetCompositeImage(NULL, NULL, NULL, NULL, NULL, background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetAddTile(50, 0, 4, 4, world_size() - 1) == -1);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  static void (*const changes[])(void) = {set_no_tiles,       set_no_window,          set_other_colours,
                                          set_other_depth,    set_no_callback,        set_other_mode,
                                          set_other_strategy, set_other_single_image, set_no_collection,
                                          set_correction,     set_other_order};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
    changes[i]();
    CHECK_ERROR(ICET_INVALID_OPERATION);
  }
  icetCopyState(context, context);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetDestroyContext(context);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetGetContext() == context);
  draw_scene(projection, modelview, background, readback, result);
}

void test_misbehaving_callback(void) {
  const IceTContext context = make_context();
  const int p = world_size();
  reversed = allocate((size_t)p * sizeof *reversed);
  for (int i = 0; i < p; ++i) reversed[i] = p - 1 - i;
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], 0);
  const Scene scene = nearest_scene(5);
  set_scene(&scene);
  icetDrawCallback(misbehave);
  icetDiagnostics(ICET_DIAG_OFF);
  calls = 0;
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(calls == 1);
  if (world_rank() == 0) check_tile(&scene, image, scene_tile);
  free(reversed);
  end_context(context);
}
