// icetCompositeImage(): images that were drawn before, which are only read.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

// The buffers of a rank's image of the global viewport, and what they held at first.
typedef struct Buffers {
  size_t colour_bytes, depth_bytes;
  char *colour, *colour_before;
  float *depth, *depth_before;
} Buffers;

static void free_buffers(Buffers* buffers) {
  free(buffers->colour);
  free(buffers->colour_before);
  free(buffers->depth);
  free(buffers->depth_before);
}

// What lies outside `valid` {x, y, width, height} of the image is garbage.
static Buffers draw(const Scene* scene, const IceTInt* global, const IceTInt* valid) {
  const size_t n = (size_t)global[2] * (size_t)global[3];
  const bool bytes = scene->colour_format == ICET_IMAGE_COLOR_RGBA_UBYTE;
  const size_t channels = scene->colour_format == ICET_IMAGE_COLOR_RGB_FLOAT ? 3 : 4;
  Buffers buffers;
  buffers.colour_bytes = n * channels * (bytes ? 1 : sizeof(float));
  buffers.depth_bytes = n * sizeof(float);
  buffers.colour = allocate(buffers.colour_bytes);
  buffers.colour_before = allocate(buffers.colour_bytes);
  buffers.depth = allocate(buffers.depth_bytes);
  buffers.depth_before = allocate(buffers.depth_bytes);
  for (size_t i = 0; i < n; ++i) {
    const int x = (int)i % global[2];
    const int y = (int)i / global[2];
    const bool is_valid = valid == NULL || (x >= valid[0] && x < valid[0] + valid[2] && y >= valid[1] &&
                                            y < valid[1] + valid[3]);
    Pixel pixel = scene_pixel(scene, world_rank(), global[0] + x, global[1] + y);
    if (!is_valid) pixel = (Pixel){{255, 1, 255, 255}, 0};
    for (size_t c = 0; c < channels; ++c) {
      if (bytes) {
        ((IceTUByte*)buffers.colour)[i * channels + c] = (IceTUByte)pixel.colour[c];
      } else {
        ((float*)(void*)buffers.colour)[i * channels + c] = (float)pixel.colour[c] / 255;
      }
    }
    buffers.depth[i] = pixel.depth;
  }
  memcpy(buffers.colour_before, buffers.colour, buffers.colour_bytes);
  memcpy(buffers.depth_before, buffers.depth, buffers.depth_bytes);
  return buffers;
}

// Composite what draw() drew; `tile` is that of this rank, or NULL.
static void check_scene(const Scene* scene, const IceTInt* valid, const IceTInt* tile) {
  IceTInt global[4];
  icetGetIntegerv(ICET_GLOBAL_VIEWPORT, global);
  set_scene(scene);
  Buffers buffers = draw(scene, global, valid);
  const bool has_colour = scene->colour_format != ICET_IMAGE_COLOR_NONE;
  const bool has_depth = scene->depth_format != ICET_IMAGE_DEPTH_NONE;
  const IceTImage image =
      icetCompositeImage(has_colour ? buffers.colour : NULL, has_depth ? buffers.depth : NULL, valid, NULL,
                         NULL, scene->background);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(calls_of_draw_scene == 0);
  CHECK(memcmp(buffers.colour, buffers.colour_before, buffers.colour_bytes) == 0);
  CHECK(memcmp(buffers.depth, buffers.depth_before, buffers.depth_bytes) == 0);
  // The picture does not lie in the caller's memory.
  free_buffers(&buffers);
  CHECK(icetImageIsNull(image) == (tile == NULL));
  if (tile != NULL) check_tile(scene, image, tile);
  IceTBoolean pre_rendered = 0;
  icetGetBooleanv(ICET_PRE_RENDERED, &pre_rendered);
  CHECK(pre_rendered == ICET_TRUE);
}

// Rank r has columns of its own, and one rank nothing.
static IceTInt own_viewport[4];
static bool draws_in_columns(int rank, int x, int y) {
  (void)y;
  return rank != 1 && x >= 2 * rank && x < 2 * rank + 9;
}

static void check_all(const IceTInt* tile) {
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  random_order(4, order);
  static const IceTEnum formats[] = {ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_COLOR_RGBA_FLOAT,
                                     ICET_IMAGE_COLOR_RGB_FLOAT, ICET_IMAGE_COLOR_NONE};
  for (uint32_t f = 0; f < 4; ++f) {
    for (int limited = 0; limited < 2; ++limited) {
      const IceTInt* valid = limited ? own_viewport : NULL;
      Scene scene = nearest_scene(f);
      scene.colour_format = formats[f];
      scene.covers = limited ? draws_in_columns : NULL;
      for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
      check_scene(&scene, valid, tile);
      if (f > 1) continue;
      scene = blended_scene(f, order);
      scene.colour_format = formats[f];
      scene.covers = limited ? draws_in_columns : NULL;
      for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
      check_scene(&scene, valid, tile);
      scene.correct_background = true;
      scene.depth_format = ICET_IMAGE_DEPTH_FLOAT;
      check_scene(&scene, valid, tile);
    }
  }
  free(order);
}

void test_given_images(void) {
  const IceTContext context = make_context();
  const int r = world_rank();
  own_viewport[0] = 2 * r;
  own_viewport[2] = r == 1 ? 0 : 9;
  own_viewport[3] = 15;
  const IceTInt tile[4] = {0, 0, 31, 15};
  icetAddTile(0, 0, 31, 15, 0);
  check_all(r == 0 ? tile : NULL);

  // Two tiles with a gap, of which the lower left corner is not at 0, 0: images start at that corner.
  if (world_size() > 1) {
    const IceTInt tiles[2][4] = {{-5, 3, 12, 9}, {10, 1, 7, 15}};
    icetResetTiles();
    icetAddTile(tiles[0][0], tiles[0][1], tiles[0][2], tiles[0][3], world_size() - 1);
    icetAddTile(tiles[1][0], tiles[1][1], tiles[1][2], tiles[1][3], 0);
    Scene scene = nearest_scene(8);
    check_scene(&scene, NULL, r == 0 ? tiles[1] : is_last_rank() ? tiles[0] : NULL);
  }
  end_context(context);
}

// What is seen of the bounding vertices is all that is looked at of an image.
static bool draws_left_half(int rank, int x, int y) {
  (void)rank, (void)y;
  return x < 8;
}

void test_given_images_with_bounds(void) {
  const IceTContext context = make_context();
  const IceTInt tile[4] = {0, 0, 16, 4};
  icetAddTile(0, 0, 16, 4, 0);
  icetBoundingBoxd(-1, 0, -1, 1, -1, 1);
  Scene scene = nearest_scene(8);
  set_scene(&scene);
  Buffers buffers = draw(&scene, tile, NULL);
  const IceTImage image =
      icetCompositeImage(buffers.colour, buffers.depth, NULL, identity, identity, scene.background);
  CHECK_ERROR(ICET_NO_ERROR);
  scene.covers = draws_left_half;
  if (world_rank() == 0) check_tile(&scene, image, tile);
  free_buffers(&buffers);
  end_context(context);
}

void test_wrong_given_images(void) {
  const IceTContext context = make_context();
  const IceTInt tile[4] = {0, 0, 4, 4};
  icetAddTile(0, 0, 4, 4, 0);
  Scene scene = nearest_scene(8);
  set_scene(&scene);
  Buffers buffers = draw(&scene, tile, NULL);
  icetDiagnostics(ICET_DIAG_OFF);
  CHECK(icetImageIsNull(icetCompositeImage(NULL, buffers.depth, NULL, NULL, NULL, scene.background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(icetCompositeImage(buffers.colour, NULL, NULL, NULL, NULL, scene.background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(
      icetCompositeImage(buffers.colour, buffers.depth, NULL, identity, NULL, scene.background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetBoundingBoxd(-1, 1, -1, 1, -1, 1);
  CHECK(
      icetImageIsNull(icetCompositeImage(buffers.colour, buffers.depth, NULL, NULL, NULL, scene.background)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetBoundingVertices(0, 0, 0, 0, NULL);

  // No background is black.
  const IceTImage image = icetCompositeImage(buffers.colour, buffers.depth, NULL, NULL, NULL, NULL);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, tile);
  free_buffers(&buffers);
  end_context(context);
}
