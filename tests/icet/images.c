// Images: what can be asked of them, and copies in other formats.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

#define WIDTH 19
#define HEIGHT 3
#define PIXELS ((size_t)(WIDTH * HEIGHT))

// An image of the format, on every rank, that holds what this rank alone would draw. With one context for
// each rank, all have a picture.
static IceTImage draw_alone(IceTEnum colour_format, IceTEnum depth_format) {
  Scene scene = nearest_scene(21);
  scene.colour_format = colour_format;
  scene.depth_format = depth_format;
  if (depth_format == ICET_IMAGE_DEPTH_NONE) scene.mode = ICET_COMPOSITE_MODE_BLEND;
  set_scene(&scene);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(!icetImageIsNull(image));
  CHECK(icetImageGetWidth(image) == WIDTH && icetImageGetHeight(image) == HEIGHT);
  CHECK(icetImageGetNumPixels(image) == (IceTSizeType)PIXELS);
  CHECK(icetImageGetColorFormat(image) == colour_format);
  CHECK(icetImageGetDepthFormat(image) == depth_format);
  return image;
}

static IceTContext make_context_of_one(void) {
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_SELF);
  const IceTContext context = icetCreateContext(comm);
  icetDestroyMPICommunicator(comm);
  icetStrategy(ICET_STRATEGY_SEQUENTIAL);
  icetAddTile(0, 0, WIDTH, HEIGHT, 0);
  CHECK_ERROR(ICET_NO_ERROR);
  return context;
}

// That a call is an error; `is_null`: what it returned.
static void check_refused(bool is_null) {
  CHECK(is_null);
  CHECK_ERROR(ICET_INVALID_OPERATION);
}

static void check_getters(IceTImage image, bool bytes, bool floats, bool depth) {
  if (bytes) {
    CHECK(icetImageGetColorub(image) == icetImageGetColorcub(image) && icetImageGetColorub(image) != NULL);
    CHECK((void*)icetImageGetColorui(image) == (void*)icetImageGetColorub(image));
    CHECK(icetImageGetColorcui(image) == icetImageGetColorui(image));
    IceTUInt first = 0;
    memcpy(&first, icetImageGetColorcub(image), sizeof first);
    CHECK(icetImageGetColorcui(image)[0] == first);
  } else {
    check_refused(icetImageGetColorub(image) == NULL);
    check_refused(icetImageGetColorcub(image) == NULL);
    check_refused(icetImageGetColorui(image) == NULL);
    check_refused(icetImageGetColorcui(image) == NULL);
  }
  if (floats) {
    CHECK(icetImageGetColorf(image) == icetImageGetColorcf(image) && icetImageGetColorf(image) != NULL);
  } else {
    check_refused(icetImageGetColorf(image) == NULL);
    check_refused(icetImageGetColorcf(image) == NULL);
  }
  if (depth) {
    CHECK(icetImageGetDepthf(image) == icetImageGetDepthcf(image) && icetImageGetDepthf(image) != NULL);
  } else {
    check_refused(icetImageGetDepthf(image) == NULL);
    check_refused(icetImageGetDepthcf(image) == NULL);
  }
  CHECK_ERROR(ICET_NO_ERROR);
}

static Pixel drawn_pixel(size_t i) {
  const Scene scene = nearest_scene(21);
  return scene_pixel(&scene, world_rank(), (int)i % WIDTH, (int)i / WIDTH);
}

static void check_copies(IceTImage image) {
  const bool has_alpha = icetImageGetColorFormat(image) != ICET_IMAGE_COLOR_RGB_FLOAT;
  IceTUByte* bytes = allocate(4 * PIXELS + 1);
  IceTFloat* floats = allocate((4 * PIXELS + 1) * sizeof *floats);
  bytes[4 * PIXELS] = 77;
  icetImageCopyColorub(image, bytes, ICET_IMAGE_COLOR_RGBA_UBYTE);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(bytes[4 * PIXELS] == 77);
  for (size_t i = 0; i < PIXELS; ++i) {
    const Pixel pixel = drawn_pixel(i);
    for (size_t c = 0; c < 4; ++c) CHECK(bytes[4 * i + c] == (c < 3 || has_alpha ? pixel.colour[c] : 255));
  }
  for (size_t channels = 3; channels <= 4; ++channels) {
    floats[channels * PIXELS] = 77;
    icetImageCopyColorf(image, floats,
                        channels == 4 ? ICET_IMAGE_COLOR_RGBA_FLOAT : ICET_IMAGE_COLOR_RGB_FLOAT);
    CHECK_ERROR(ICET_NO_ERROR);
    CHECK(floats[channels * PIXELS] == 77);
    for (size_t i = 0; i < PIXELS; ++i) {
      const Pixel pixel = drawn_pixel(i);
      for (size_t c = 0; c < channels; ++c) {
        const float wanted = c < 3 || has_alpha ? (float)pixel.colour[c] / 255 : 1;
        CHECK(fabsf(floats[channels * i + c] - wanted) < 1e-6F);
      }
    }
  }
  free(bytes);
  free(floats);
}

static void check_depth(IceTImage image) {
  IceTFloat* depth = allocate((PIXELS + 1) * sizeof *depth);
  depth[PIXELS] = 77;
  icetImageCopyDepthf(image, depth, ICET_IMAGE_DEPTH_FLOAT);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(depth[PIXELS] == 77);
  for (size_t i = 0; i < PIXELS; ++i) CHECK(depth[i] == drawn_pixel(i).depth);
  free(depth);
}

static void check_wrong_copies(IceTImage image) {
  IceTUByte bytes[4 * WIDTH * HEIGHT];
  IceTFloat floats[4 * WIDTH * HEIGHT];
  icetImageCopyColorub(image, bytes, ICET_IMAGE_COLOR_RGBA_FLOAT);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetImageCopyColorub(image, bytes, ICET_IMAGE_COLOR_NONE);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetImageCopyColorf(image, floats, ICET_IMAGE_COLOR_RGBA_UBYTE);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetImageCopyDepthf(image, floats, ICET_IMAGE_DEPTH_NONE);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetImageCopyColorub(image, NULL, ICET_IMAGE_COLOR_RGBA_UBYTE);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetImageCopyColorf(image, NULL, ICET_IMAGE_COLOR_RGB_FLOAT);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetImageCopyDepthf(image, NULL, ICET_IMAGE_DEPTH_FLOAT);
  CHECK_ERROR(ICET_INVALID_VALUE);
}

// Of an image without colours, and of none at all.
static void check_nothing_to_copy(IceTImage image, bool has_depth) {
  IceTUByte bytes[4 * WIDTH * HEIGHT] = {5};
  IceTFloat floats[4 * WIDTH * HEIGHT] = {5};
  icetImageCopyColorub(image, bytes, ICET_IMAGE_COLOR_RGBA_UBYTE);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetImageCopyColorf(image, floats, ICET_IMAGE_COLOR_RGBA_FLOAT);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  if (!has_depth) {
    icetImageCopyDepthf(image, floats, ICET_IMAGE_DEPTH_FLOAT);
    CHECK_ERROR(ICET_INVALID_OPERATION);
  }
  CHECK(bytes[0] == 5 && floats[0] == 5);
}

void test_images(void) {
  const IceTContext context = make_context_of_one();
  icetDiagnostics(ICET_DIAG_OFF);
  IceTImage image = draw_alone(ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_FLOAT);
  check_getters(image, true, false, true);
  check_copies(image);
  check_depth(image);
  check_wrong_copies(image);
  image = draw_alone(ICET_IMAGE_COLOR_RGBA_FLOAT, ICET_IMAGE_DEPTH_FLOAT);
  check_getters(image, false, true, true);
  check_copies(image);
  check_depth(image);
  image = draw_alone(ICET_IMAGE_COLOR_RGB_FLOAT, ICET_IMAGE_DEPTH_FLOAT);
  check_getters(image, false, true, true);
  check_copies(image);
  image = draw_alone(ICET_IMAGE_COLOR_NONE, ICET_IMAGE_DEPTH_FLOAT);
  check_getters(image, false, false, true);
  check_depth(image);
  check_nothing_to_copy(image, true);
  image = draw_alone(ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_NONE);
  check_getters(image, true, false, false);
  check_copies(image);
  end_context(context);
}

// A program may write into the picture that it got, and look at it until the next frame.
void test_picture_is_the_programs(void) {
  const IceTContext context = make_context_of_one();
  const IceTImage image = draw_alone(ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_FLOAT);
  memset(icetImageGetColorub(image), 7, 4 * PIXELS);
  for (size_t i = 0; i < PIXELS; ++i) icetImageGetDepthf(image)[i] = 0.5F;
  CHECK(icetImageGetColorcub(image)[4 * PIXELS - 1] == 7 && icetImageGetDepthcf(image)[PIXELS - 1] == 0.5F);
  check_copies(draw_alone(ICET_IMAGE_COLOR_RGBA_UBYTE, ICET_IMAGE_DEPTH_FLOAT));
  end_context(context);
}

void test_null_image(void) {
  const IceTContext context = make_context_of_one();
  icetDiagnostics(ICET_DIAG_OFF);
  const IceTImage image = icetImageNull();
  CHECK(icetImageIsNull(image) == ICET_TRUE);
  CHECK(icetImageGetWidth(image) == 0 && icetImageGetHeight(image) == 0 && icetImageGetNumPixels(image) == 0);
  CHECK(icetImageGetColorFormat(image) == ICET_IMAGE_COLOR_NONE);
  CHECK(icetImageGetDepthFormat(image) == ICET_IMAGE_DEPTH_NONE);
  CHECK_ERROR(ICET_NO_ERROR);
  check_getters(image, false, false, false);
  check_nothing_to_copy(image, false);
  end_context(context);
}

// Floats beyond what bytes hold, and what is no number.
static const float odd_values[] = {-1, -0.0F, 0.0019F, 0.002F, 0.5F, 0.9999F, 1, 7, 0, INFINITY, -INFINITY};
static void draw_odd_values(const IceTDouble* projection, const IceTDouble* modelview,
                            const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  (void)projection, (void)modelview, (void)background, (void)readback;
  for (size_t i = 0; i < PIXELS; ++i) {
    icetImageGetDepthf(result)[i] = 0.5F;
    for (size_t c = 0; c < 4; ++c)
      icetImageGetColorf(result)[4 * i + c] =
          i == 0 ? NAN : odd_values[i % (sizeof odd_values / sizeof(float))];
  }
}

void test_odd_colours(void) {
  const IceTContext context = make_context_of_one();
  icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
  icetDrawCallback(draw_odd_values);
  const IceTImage image = icetDrawFrame(identity, identity, NULL);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTUByte bytes[4 * WIDTH * HEIGHT];
  icetImageCopyColorub(image, bytes, ICET_IMAGE_COLOR_RGBA_UBYTE);
  CHECK(bytes[0] == 0);
  for (size_t i = 1; i < PIXELS; ++i) {
    const double value = (double)odd_values[i % (sizeof odd_values / sizeof(float))];
    CHECK(bytes[4 * i] == (IceTUByte)floor(255 * fmin(fmax(value, 0), 1) + 0.5));
  }
  end_context(context);
}
