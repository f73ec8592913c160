// Stopwatch, to be loaded before a library with IceT's interface (LD_PRELOAD): records when each rank of a
// program draws and composites, with any compositor.
//
// For each frame, every rank writes a line to the file rank<R>.txt in the folder named by STOPWATCH: when the
// frame began, when its last draw callback began and ended (0 if nothing was drawn), and when the frame
// ended, in seconds of a clock shared by the ranks of one machine. It neither communicates nor waits, so the
// frame runs as it does without the stopwatch.
#define _GNU_SOURCE
#include <IceT.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static IceTDrawCallbackType callback;
static double draw_begin, draw_end;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static FILE* open_file(void) {
  const char* folder = getenv("STOPWATCH");
  if (folder == NULL) return NULL;
  IceTInt rank = 0;
  icetGetIntegerv(ICET_RANK, &rank);
  char path[4096];
  snprintf(path, sizeof path, "%s/rank%d.txt", folder, rank);
  FILE* file = fopen(path, "a");
  if (file == NULL) perror(path);
  return file;
}

static void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                 const IceTInt* readback, IceTImage result) {
  draw_begin = now();
  callback(projection, modelview, background, readback, result);
  draw_end = now();
}

void icetDrawCallback(IceTDrawCallbackType function) {
  void (*set)(IceTDrawCallbackType) = (void (*)(IceTDrawCallbackType))dlsym(RTLD_NEXT, "icetDrawCallback");
  callback = function;
  set(function == NULL ? NULL : draw);
}

IceTImage icetDrawFrame(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background) {
  typedef IceTImage (*Draw)(const IceTDouble*, const IceTDouble*, const IceTFloat*);
  draw_begin = draw_end = 0;
  const double begin = now();
  const IceTImage image = ((Draw)dlsym(RTLD_NEXT, "icetDrawFrame"))(projection, modelview, background);
  const double end = now();
  FILE* file = open_file();
  if (file == NULL) return image;
  fprintf(file, "%.9f %.9f %.9f %.9f\n", begin, draw_begin, draw_end, end);
  fclose(file);
  return image;
}
