// What outlives what: images and contexts that have ended, settings that change while or after a frame is
// drawn, and frames that end on the way.
#include <limits.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

// What a call prints, which gives an error.
#define CHECK_REFUSED(call, code, text) \
  do {                                  \
    begin_capture();                    \
    call;                               \
    CHECK_HOLDS(end_capture(), text);   \
    CHECK_ERROR(code);                  \
  } while (false)

static IceTImage image_of_callback;
static void keep_image(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                       const IceTInt* readback, IceTImage result) {
  draw_scene(projection, modelview, background, readback, result);
  image_of_callback = result;
}

// Images that are none any more are errors, and nothing is read or written through them.
void test_images_that_have_ended(void) {
  const Scene scene = nearest_scene(21);
  const IceTContext context = make_context_of_scene(&scene);
  icetDrawCallback(keep_image);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTUByte colours[4 * 9 * 7];
  CHECK_REFUSED(CHECK(icetImageGetColorub(image_of_callback) == NULL), ICET_INVALID_VALUE,
                "that is no image");
  CHECK_REFUSED(CHECK(icetImageGetWidth(image_of_callback) == 0), ICET_INVALID_VALUE, "that is no image");
  CHECK_REFUSED(icetImageCopyColorub(image_of_callback, colours, ICET_IMAGE_COLOR_RGBA_UBYTE),
                ICET_INVALID_VALUE, "that is no image");
  if (world_rank() == 0) check_tile(&scene, image, scene_tile);
  end_context(context);
  if (world_rank() != 0) return;
  CHECK_REFUSED(CHECK(icetImageGetColorcub(image) == NULL), ICET_INVALID_VALUE, "that is no image");
  CHECK_REFUSED(CHECK(icetImageGetDepthf(image) == NULL), ICET_INVALID_VALUE, "that is no image");
  CHECK_REFUSED(CHECK(icetImageGetColorFormat(image) == ICET_IMAGE_COLOR_NONE), ICET_INVALID_VALUE,
                "that is no image");
  CHECK_REFUSED(CHECK(icetImageGetNumPixels(image) == 0), ICET_INVALID_VALUE, "that is no image");
  CHECK_REFUSED(icetImageCopyDepthf(image, (IceTFloat*)(void*)colours, ICET_IMAGE_DEPTH_FLOAT),
                ICET_INVALID_VALUE, "that is no image");
}

// The callback makes another context current, draws a frame of it, and copies from the one that is drawn.
static IceTContext outer;
static IceTContext inner;
static int calls;
static void draw_in_other_context(const IceTDouble* projection, const IceTDouble* modelview,
                                  const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  CHECK(icetGetContext() == outer);
  draw_scene(projection, modelview, background, readback, result);
  ++calls;
  icetSetContext(inner);
  icetCopyState(inner, outer);
  CHECK_ERROR(ICET_NO_ERROR);
  icetDrawCallback(draw_scene);
  CHECK(icetImageIsNull(icetDrawFrame(identity, identity, NULL)) == (world_rank() > 1));
  CHECK_ERROR(ICET_NO_ERROR);
}

void test_contexts_in_a_callback(void) {
  static const IceTInt tiles[2][4] = {{0, 0, 9, 7}, {9, 0, 9, 7}};
  if (world_size() < 2) return;
  const Scene scene = nearest_scene(22);
  inner = make_context();
  outer = make_context();
  for (int i = 0; i < 2; ++i) icetAddTile(tiles[i][0], tiles[i][1], tiles[i][2], tiles[i][3], i);
  set_scene(&scene);
  icetDisable(ICET_FLOATING_VIEWPORT);  // a call for each tile
  icetDrawCallback(draw_in_other_context);
  calls = 0;
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(calls == 2 && icetGetContext() == outer);
  if (world_rank() < 2) check_tile(&scene, image, tiles[world_rank()]);
  end_context(inner);
  end_context(outer);
}

// Tiles that change after a frame: what is asked of it has as many values as there are tiles now.
void test_tiles_after_a_frame(void) {
  const Scene scene = nearest_scene(23);
  const IceTContext context = make_context();
  const int p = world_size();
  for (int i = 0; i < p; ++i) icetAddTile(9 * i, 0, 9, 7, i);
  set_scene(&scene);
  draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTInt number = -1;
  icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &number);
  CHECK(number == p);
  icetResetTiles();
  icetAddTile(0, 0, 9, 7, 0);
  if (p > 1) {
    IceTBoolean mask[2] = {7, 7};
    icetGetBooleanv(ICET_CONTAINED_TILES_MASK, mask);
    CHECK(mask[0] == ICET_FALSE && mask[1] == 7);
    IceTInt list[2] = {7, 7};
    icetGetIntegerv(ICET_CONTAINED_TILES_LIST, list);
    icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &number);
    CHECK(list[0] == 7 && number == 0);
    icetGetIntegerv(ICET_ALL_CONTAINED_TILES_MASKS, list);
    icetGetIntegerv(ICET_TILE_CONTRIB_COUNTS, list);
    CHECK(list[0] == 0 && list[1] == 7);
  }
  CHECK_ERROR(ICET_NO_ERROR);
  end_context(context);
}

// Sizes at the edge of 32 bits.
void test_extreme_sizes(void) {
  const Scene scene = nearest_scene(24);
  const IceTContext context = make_context_of_scene(&scene);
  CHECK_REFUSED(icetPhysicalRenderSize(100000, 100000), ICET_INVALID_VALUE, "a window of 100000x100000");
  CHECK_REFUSED(icetPhysicalRenderSize(INT_MAX, INT_MAX), ICET_INVALID_VALUE, "32 bits cannot count");
  IceTInt width = 0;
  icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, &width);
  CHECK(width == scene_tile[2]);
  icetResetTiles();
  CHECK(icetAddTile(0, 0, 1 << 20, 1, 0) == 0);
  if (world_size() > 1) {
    CHECK_REFUSED(CHECK(icetAddTile(0, 1, 1, 1 << 20, 1) == -1), ICET_INVALID_VALUE, "32 bits cannot count");
    IceTInt number = 0;
    icetGetIntegerv(ICET_NUM_TILES, &number);
    CHECK(number == 1);
  }

  // In a window that reaches beyond the last pixel that can be counted; also beside a tile at the other end.
  const IceTInt far_tile[4] = {INT_MAX - 9, INT_MAX - 7, 9, 7};
  const IceTInt near_tile[4] = {0, 0, 4, 3};
  icetResetTiles();
  icetAddTile(far_tile[0], far_tile[1], far_tile[2], far_tile[3], 0);
  icetPhysicalRenderSize(20, 30);
  IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, far_tile);
  if (world_size() > 1) {
    icetAddTile(near_tile[0], near_tile[1], near_tile[2], near_tile[3], 1);
    image = draw_frame(&scene);
    CHECK_ERROR(ICET_NO_ERROR);
    if (world_rank() == 0) check_tile(&scene, image, far_tile);
    if (world_rank() == 1) check_tile(&scene, image, near_tile);
  }
  end_context(context);
}

#ifndef __SANITIZE_ADDRESS__  // which needs more addresses than any limit leaves
static void check_small_frame(const Scene* scene) {
  icetResetTiles();
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], 0);
  icetEnable(ICET_COLLECT_IMAGES);
  check_frame_of_scene(scene);
}

// A tile that is large beside what is drawn of it.
static IceTContext make_context_of_large_tile(const Scene* scene) {
  const IceTContext context = make_context_of_scene(scene);
  icetDiagnostics(ICET_DIAG_OFF);
  check_small_frame(scene);
  icetResetTiles();
  icetAddTile(0, 0, 4000, 4000, 0);
  icetPhysicalRenderSize(20, 20);
  icetGetError();  // a warning
  return context;
}

// One rank has no memory for its part of the picture: an error on all, and no part of a picture is left.
void test_no_memory_for_the_picture(void) {
  const Scene scene = nearest_scene(25);
  const IceTContext context = make_context_of_large_tile(&scene);
  icetDisable(ICET_COLLECT_IMAGES);
  if (is_last_rank()) limit_memory(64);
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(icetImageIsNull(icetDrawFrame(identity, identity, NULL)));
  CHECK(icetGetError() != ICET_NO_ERROR);
  if (is_last_rank()) end_limit();
  IceTInt number = -1;
  icetGetIntegerv(ICET_VALID_PIXELS_NUM, &number);
  CHECK(number == 0);
  icetGetIntegerv(ICET_VALID_PIXELS_TILE, &number);
  CHECK(number == -1);
  check_small_frame(&scene);
  end_context(context);
}

// The displaying rank has none to collect it, when the others may have done their parts: the next frame is
// right on all.
void test_no_memory_to_collect(void) {
  const Scene scene = nearest_scene(26);
  const IceTContext context = make_context_of_large_tile(&scene);
  if (world_rank() == 0) limit_memory(100);
  MPI_Barrier(MPI_COMM_WORLD);
  const IceTImage image = icetDrawFrame(identity, identity, NULL);
  if (icetGetError() != ICET_NO_ERROR) CHECK(icetImageIsNull(image));
  if (world_rank() == 0) end_limit();
  check_small_frame(&scene);
  check_small_frame(&scene);
  end_context(context);
}
#else
void test_no_memory_for_the_picture(void) {}
void test_no_memory_to_collect(void) {}
#endif
