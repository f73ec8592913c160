// Recorder, to be loaded before a library with IceT's interface (LD_PRELOAD): writes what every rank drew of
// each frame, the composite order, and the picture that came of it, to the folder that RECORD names.
//
// A file frame<N>.rank<R>.drawn or .shown is five numbers of 32 bits (width, height, colour format, depth
// format, 1 if the frame is ordered), the readback viewport (4), the ranks' number and their composite order,
// then the colours and the depths.
#define _GNU_SOURCE
#include <IceT.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

static IceTDrawCallbackType callback;
static int frame = -1;

static void* next(const char* name) { return dlsym(RTLD_NEXT, name); }

static void save(const char* what, const IceTInt* viewport, IceTImage image) {
  const char* folder = getenv("RECORD");
  if (folder == NULL || icetImageIsNull(image)) return;
  IceTInt rank = 0;
  IceTInt ranks = 0;
  IceTBoolean ordered = icetIsEnabled(ICET_ORDERED_COMPOSITE);
  icetGetIntegerv(ICET_RANK, &rank);
  icetGetIntegerv(ICET_NUM_PROCESSES, &ranks);
  char path[4096];
  snprintf(path, sizeof path, "%s/frame%04d.rank%d.%s", folder, frame, rank, what);
  FILE* file = fopen(path, "wb");
  if (file == NULL) {
    perror(path);
    return;
  }
  const IceTEnum colours = icetImageGetColorFormat(image);
  const IceTEnum depth = icetImageGetDepthFormat(image);
  const int32_t head[5] = {icetImageGetWidth(image), icetImageGetHeight(image), (int32_t)colours,
                           (int32_t)depth, ordered};
  IceTInt* order = malloc(sizeof *order * (size_t)ranks);
  icetGetIntegerv(ICET_COMPOSITE_ORDER, order);
  fwrite(head, sizeof head, 1, file);
  fwrite(viewport, sizeof *viewport, 4, file);
  fwrite(&ranks, sizeof ranks, 1, file);
  fwrite(order, sizeof *order, (size_t)ranks, file);
  free(order);
  const size_t n = (size_t)icetImageGetNumPixels(image);
  if (colours == ICET_IMAGE_COLOR_RGBA_UBYTE) fwrite(icetImageGetColorcub(image), 4, n, file);
  if (colours == ICET_IMAGE_COLOR_RGBA_FLOAT) fwrite(icetImageGetColorcf(image), 16, n, file);
  if (colours == ICET_IMAGE_COLOR_RGB_FLOAT) fwrite(icetImageGetColorcf(image), 12, n, file);
  if (depth == ICET_IMAGE_DEPTH_FLOAT) fwrite(icetImageGetDepthcf(image), 4, n, file);
  fclose(file);
}

static void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                 const IceTInt* readback, IceTImage result) {
  callback(projection, modelview, background, readback, result);
  save("drawn", readback, result);
}

void icetDrawCallback(IceTDrawCallbackType function) {
  void (*set)(IceTDrawCallbackType) = (void (*)(IceTDrawCallbackType))next("icetDrawCallback");
  callback = function;
  set(function == NULL ? NULL : draw);
}

IceTImage icetDrawFrame(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background) {
  typedef IceTImage (*Draw)(const IceTDouble*, const IceTDouble*, const IceTFloat*);
  ++frame;
  const IceTImage image = ((Draw)next("icetDrawFrame"))(projection, modelview, background);
  const IceTInt all[4] = {0, 0, icetImageGetWidth(image), icetImageGetHeight(image)};
  save("shown", all, image);
  return image;
}
