#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

const IceTInt scene_tile[4] = {0, 0, 9, 7};
const IceTDouble identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static Scene current_scene;
int calls_of_draw_scene = 0;

Scene nearest_scene(uint32_t seed) {
  return (Scene){.seed = seed,
                 .colour_format = ICET_IMAGE_COLOR_RGBA_UBYTE,
                 .depth_format = ICET_IMAGE_DEPTH_FLOAT,
                 .mode = ICET_COMPOSITE_MODE_Z_BUFFER};
}

Scene blended_scene(uint32_t seed, const IceTInt* order) {
  return (Scene){.seed = seed,
                 .colour_format = ICET_IMAGE_COLOR_RGBA_UBYTE,
                 .depth_format = ICET_IMAGE_DEPTH_NONE,
                 .mode = ICET_COMPOSITE_MODE_BLEND,
                 .order = order};
}

uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x45d9f3bU;
  x = (x ^ (x >> 16)) * 0x45d9f3bU;
  return x ^ (x >> 16);
}

static int data_of(const Scene* scene, int rank) { return scene->data == NULL ? rank : scene->data[rank]; }

// A third of the places is empty; at a tenth of them all ranks add light that covers nothing: alpha 0.
Pixel scene_pixel(const Scene* scene, int rank, int x, int y) {
  Pixel pixel = {{0, 0, 0, 0}, 1};
  const uint32_t place = scramble(scene->seed * 7919U + (uint32_t)y * 65599U + (uint32_t)x);
  const uint32_t own = scramble(place + 31U * (uint32_t)rank + 1U);
  if (scene->covers != NULL && !scene->covers(rank, x, y)) return pixel;
  if (scene->disjoint && place % (uint32_t)world_size() != (uint32_t)rank) return pixel;
  if (own % 3 == 0) return pixel;
  const bool is_light = place % 10 == 0;
  const uint32_t alpha = is_light ? 0 : own / 3 % 256;
  for (uint32_t c = 0; c < 3; ++c) pixel.colour[c] = (int)(scramble(own + c) % (is_light ? 31 : alpha + 1));
  pixel.colour[3] = (int)alpha;
  if (!scene->without_depth)
    pixel.depth = (float)(16 * (scramble(own + 9) % 4096) + (uint32_t)rank) / 65536.0F;
  return pixel;
}

void set_scene(const Scene* scene) {
  current_scene = *scene;
  calls_of_draw_scene = 0;
  icetSetColorFormat(scene->colour_format);
  icetSetDepthFormat(scene->depth_format);
  icetCompositeMode(scene->mode);
  (scene->order != NULL ? icetEnable : icetDisable)(ICET_ORDERED_COMPOSITE);
  if (scene->order != NULL) icetCompositeOrder(scene->order);
  (scene->correct_background ? icetEnable : icetDisable)(ICET_CORRECT_COLORED_BACKGROUND);
  icetDrawCallback(draw_scene);
  CHECK_ERROR(ICET_NO_ERROR);
}

static bool lies_in(const IceTInt* viewport, int x, int y) {
  return x >= viewport[0] && x < viewport[0] + viewport[2] && y >= viewport[1] &&
         y < viewport[1] + viewport[3];
}

void draw_scene(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                const IceTInt* readback, IceTImage result) {
  (void)projection, (void)modelview, (void)background;
  ++calls_of_draw_scene;
  const Pixel garbage = {{171, 3, 99, 200}, 0};
  IceTInt window[4];
  icetGetIntegerv(ICET_RENDERED_VIEWPORT, window);
  const IceTEnum format = icetImageGetColorFormat(result);
  const bool has_depth = icetImageGetDepthFormat(result) != ICET_IMAGE_DEPTH_NONE;
  IceTUByte* bytes = format == ICET_IMAGE_COLOR_RGBA_UBYTE ? icetImageGetColorub(result) : NULL;
  IceTFloat* floats = bytes == NULL && format != ICET_IMAGE_COLOR_NONE ? icetImageGetColorf(result) : NULL;
  IceTFloat* depths = has_depth ? icetImageGetDepthf(result) : NULL;
  const size_t channels = format == ICET_IMAGE_COLOR_RGB_FLOAT ? 3 : 4;
  const int width = icetImageGetWidth(result);
  const int own = data_of(&current_scene, world_rank());
  for (int i = 0; i < icetImageGetNumPixels(result); ++i) {
    const int x = i % width;
    const int y = i / width;
    const Pixel pixel =
        lies_in(readback, x, y) ? scene_pixel(&current_scene, own, window[0] + x, window[1] + y) : garbage;
    for (size_t c = 0; c < channels; ++c) {
      if (bytes != NULL) bytes[channels * (size_t)i + c] = (IceTUByte)pixel.colour[c];
      if (floats != NULL) floats[channels * (size_t)i + c] = (float)pixel.colour[c] / 255;
    }
    if (depths != NULL) depths[i] = pixel.depth;
  }
}

IceTImage draw_frame(const Scene* scene) { return icetDrawFrame(identity, identity, scene->background); }

// ---- What is expected ------------------------------------------------------------------------------

// A pixel of the picture: colours of 0..255 and more, and the nearest depth.
typedef struct Result {
  double colour[4];
  float depth;
} Result;

static Result nearest(const Scene* scene, int x, int y) {
  Result result = {{0}, 1};
  for (size_t c = 0; c < 4; ++c) result.colour[c] = 255.0 * (double)scene->background[c];
  if (scene->colour_format == ICET_IMAGE_COLOR_RGBA_UBYTE)
    for (size_t c = 0; c < 4; ++c) result.colour[c] = floor(result.colour[c]);
  for (int rank = 0; rank < world_size(); ++rank) {
    const Pixel pixel = scene_pixel(scene, data_of(scene, rank), x, y);
    if (!(pixel.depth < result.depth)) continue;
    result.depth = pixel.depth;
    for (size_t c = 0; c < 4; ++c) result.colour[c] = pixel.colour[c];
  }
  return result;
}

// Whether what the i-th of an order draws was drawn by one before it.
static bool is_repeated(const Scene* scene, int i) {
  for (int j = 0; j < i && scene->data != NULL; ++j)
    if (scene->data[scene->order[j]] == scene->data[scene->order[i]]) return true;
  return false;
}

static Result blend(const Scene* scene, int x, int y) {
  Result result = {{0}, 1};
  double transparency = 1;
  for (int i = 0; i < world_size(); ++i) {
    if (is_repeated(scene, i)) continue;
    const int rank = scene->order == NULL ? i : scene->order[i];
    const Pixel pixel = scene_pixel(scene, data_of(scene, rank), x, y);
    for (size_t c = 0; c < 4; ++c) result.colour[c] += transparency * pixel.colour[c];
    transparency *= 1 - pixel.colour[3] / 255.0;
    if (pixel.depth < result.depth) result.depth = pixel.depth;
  }
  for (size_t c = 0; c < 4 && scene->correct_background; ++c)
    result.colour[c] += transparency * 255 * (double)scene->background[c];
  return result;
}

// Report a pixel that is not as it should be.
static void fail(const char* what, int x, int y, double expected, double found) {
  char detail[128];
  snprintf(detail, sizeof detail, " at %d,%d; expected %g, found %g", x, y, expected, found);
  check(false, what, detail, __FILE__, __LINE__);
}

// The pixels of an image, where they lie.
typedef struct Planes {
  const IceTUByte* bytes;
  const IceTFloat* floats;
  const IceTFloat* depths;
  size_t channels;
} Planes;

static Planes planes_of(IceTImage image) {
  const IceTEnum format = icetImageGetColorFormat(image);
  Planes planes = {NULL, NULL, NULL, format == ICET_IMAGE_COLOR_RGB_FLOAT ? 3 : 4};
  if (format == ICET_IMAGE_COLOR_RGBA_UBYTE) {
    planes.bytes = icetImageGetColorcub(image);
  } else if (format != ICET_IMAGE_COLOR_NONE) {
    planes.floats = icetImageGetColorcf(image);
  }
  if (icetImageGetDepthFormat(image) != ICET_IMAGE_DEPTH_NONE) planes.depths = icetImageGetDepthcf(image);
  return planes;
}

static void check_pixel(const Scene* scene, const Planes* planes, int x, int y, size_t i) {
  const bool blends = scene->mode == ICET_COMPOSITE_MODE_BLEND;
  const Result expected = blends ? blend(scene, x, y) : nearest(scene, x, y);
  // A background blended behind bytes, which were rounded before, is rounded once more.
  const double tolerance = planes->floats != NULL      ? 1e-4 * world_size()
                           : !blends                   ? 0
                           : scene->correct_background ? 2
                                                       : 1;
  for (size_t c = 0; c < planes->channels; ++c) {
    if (planes->bytes == NULL && planes->floats == NULL) break;
    const size_t at = planes->channels * i + c;
    const double found = planes->bytes != NULL ? planes->bytes[at] : 255 * (double)planes->floats[at];
    const double wanted = planes->bytes != NULL ? fmin(expected.colour[c], 255) : expected.colour[c];
    if (!(fabs(found - wanted) <= tolerance)) fail("the colour is right", x, y, wanted, found);
  }
  if (planes->depths != NULL && planes->depths[i] != expected.depth)
    fail("the depth is right", x, y, (double)expected.depth, (double)planes->depths[i]);
}

void check_pixels(const Scene* scene, IceTImage image, const IceTInt* tile, int begin, int number) {
  CHECK(!icetImageIsNull(image));
  CHECK(icetImageGetWidth(image) == tile[2] && icetImageGetHeight(image) == tile[3]);
  CHECK(icetImageGetColorFormat(image) == scene->colour_format);
  CHECK(icetImageGetDepthFormat(image) == scene->depth_format);
  const Planes planes = planes_of(image);
  for (int i = begin; i < begin + number; ++i)
    check_pixel(scene, &planes, tile[0] + i % tile[2], tile[1] + i / tile[2], (size_t)i);
}

void check_tile(const Scene* scene, IceTImage image, const IceTInt* tile) {
  check_pixels(scene, image, tile, 0, tile[2] * tile[3]);
}

void random_order(uint32_t seed, IceTInt* order) {
  for (int i = 0; i < world_size(); ++i) order[i] = i;
  for (int i = world_size() - 1; i > 0; --i) {
    const int other = (int)(scramble(seed + (uint32_t)i) % (uint32_t)(i + 1));
    const IceTInt taken = order[i];
    order[i] = order[other];
    order[other] = taken;
  }
}

IceTContext make_context(void) {
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
  CHECK(comm != ICET_COMM_NULL);
  IceTContext context = icetCreateContext(comm);
  CHECK(context != NULL && icetGetContext() == context);
  icetDestroyMPICommunicator(comm);
  icetStrategy(ICET_STRATEGY_REDUCE);
  CHECK_ERROR(ICET_NO_ERROR);
  return context;
}

void end_context(IceTContext context) {
  icetDestroyContext(context);
  CHECK_ERROR(ICET_NO_ERROR);
}

IceTContext make_context_of_scene(const Scene* scene) {
  const IceTContext context = make_context();
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], 0);
  set_scene(scene);
  return context;
}

void check_frame_of_scene(const Scene* scene) {
  set_scene(scene);
  const IceTImage image = draw_frame(scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(scene, image, scene_tile);
}
