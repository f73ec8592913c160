// Pictures of one tile: every format, mode, background and size against the definition.
#include <stdlib.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const IceTEnum colour_formats[] = {ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_COLOR_RGBA_FLOAT,
                                          ICET_IMAGE_COLOR_RGB_FLOAT, ICET_IMAGE_COLOR_NONE};
static const IceTInt sizes[][2] = {{1, 1}, {2, 1}, {1, 17}, {37, 23}, {64, 64}};

// Draw a scene on one tile that the last rank displays, and check what each rank gets.
static void check_scene(const Scene* scene, IceTInt width, IceTInt height) {
  const IceTInt tile[4] = {0, 0, width, height};
  icetResetTiles();
  CHECK(icetAddTile(0, 0, width, height, world_size() - 1) == 0);
  set_scene(scene);
  const IceTImage image = draw_frame(scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(calls_of_draw_scene == 1);
  if (is_last_rank()) {
    check_tile(scene, image, tile);
  } else {
    CHECK(icetImageIsNull(image));
  }
}

static void check_nearest(uint32_t seed, IceTInt width, IceTInt height) {
  for (size_t f = 0; f < 4; ++f) {
    Scene scene = nearest_scene(seed + (uint32_t)f);
    scene.colour_format = colour_formats[f];
    check_scene(&scene, width, height);
    for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.25F * (float)(c + 1);
    check_scene(&scene, width, height);
  }
}

static void check_blended(uint32_t seed, IceTInt width, IceTInt height) {
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  for (size_t f = 0; f < 2; ++f) {
    for (uint32_t round = 0; round < 3; ++round) {
      random_order(seed + round, order);
      Scene scene = blended_scene(seed + round, order);
      scene.colour_format = colour_formats[f];
      scene.depth_format = round == 2 ? ICET_IMAGE_DEPTH_FLOAT : ICET_IMAGE_DEPTH_NONE;
      check_scene(&scene, width, height);

      // The background is left to the program, or blended behind the picture.
      for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.2F * (float)(c + 1);
      check_scene(&scene, width, height);
      scene.correct_background = true;
      check_scene(&scene, width, height);
      scene.background[3] = 0.3F;
      check_scene(&scene, width, height);
    }
    // Depths are of no importance to a blend.
    Scene volume = blended_scene(seed, order);
    volume.colour_format = colour_formats[f];
    volume.depth_format = ICET_IMAGE_DEPTH_FLOAT;
    volume.without_depth = true;
    check_scene(&volume, width, height);

    // Without an order, where it does not matter.
    Scene scene = blended_scene(seed, NULL);
    scene.colour_format = colour_formats[f];
    scene.disjoint = true;
    check_scene(&scene, width, height);
  }
  free(order);
}

// Places in which some ranks, or none, draw.
static bool draws_in_half(int rank, int x, int y) { return (x / 8 + y / 8 + rank) % 2 == 0 && y < 40; }

void test_pictures(void) {
  const IceTContext context = make_context();
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    check_nearest((uint32_t)s, sizes[s][0], sizes[s][1]);
    check_blended((uint32_t)s, sizes[s][0], sizes[s][1]);
  }
  for (int interlaced = 0; interlaced < 2; ++interlaced) {
    (interlaced ? icetEnable : icetDisable)(ICET_INTERLACE_IMAGES);
    Scene scene = nearest_scene(77);
    scene.covers = draws_in_half;
    check_scene(&scene, 640, 480);
    IceTInt* order = allocate((size_t)world_size() * sizeof *order);
    random_order(5, order);
    scene = blended_scene(78, order);
    scene.covers = draws_in_half;
    check_scene(&scene, 640, 480);
    free(order);
  }
  end_context(context);
}

// The colours of the brief case in which a program looks at one pixel: two ranks, one before the other.
static void draw_one_pixel(const IceTDouble* projection, const IceTDouble* modelview,
                           const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  (void)projection, (void)modelview, (void)readback;
  for (size_t c = 0; c < 4; ++c) {
    CHECK(background[c] == 0);  // the ranks draw over nothing, so that the background is not blended twice
    icetImageGetColorf(result)[c] = c == 3 || c == (size_t)(world_rank() % 3) ? 0.5F : 0;
  }
}

void test_one_pixel(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, 1, 1, 0);
  icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
  icetSetDepthFormat(ICET_IMAGE_DEPTH_NONE);
  icetCompositeMode(ICET_COMPOSITE_MODE_BLEND);
  icetEnable(ICET_ORDERED_COMPOSITE);
  icetDrawCallback(draw_one_pixel);
  const IceTFloat background[] = {0, 0, 1, 1};
  const IceTImage image = icetDrawFrame(identity, identity, background);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) {
    const IceTFloat* colour = icetImageGetColorcf(image);
    CHECK(colour[0] >= 0.5F);
    if (world_size() == 1) CHECK(colour[0] == 0.5F && colour[1] == 0 && colour[2] == 0 && colour[3] == 0.5F);
    if (world_size() == 2)
      CHECK(colour[0] == 0.5F && colour[1] == 0.25F && colour[2] == 0 && colour[3] == 0.75F);
    if (world_size() == 3)
      CHECK(colour[0] == 0.5F && colour[1] == 0.25F && colour[2] == 0.125F && colour[3] == 0.875F);
  }
  end_context(context);
}
