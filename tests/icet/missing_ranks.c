// Ranks that come to a frame too late: the others do not wait for ever, and once that rank has come all go
// on.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const IceTInt tile[4] = {0, 0, 9, 7};

static void sleep_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

static void check_right_frame(void) {
  Scene scene = nearest_scene(11);
  set_scene(&scene);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, tile);
}

// A frame for which the last rank is late. Every rank but that gets an error soon, which says `why`.
static void check_late_frame(double sleep_before, const char* why, bool last_fails) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = icetWallTime();
  if (is_last_rank()) sleep_for(sleep_before);
  begin_capture();
  const IceTImage image = icetDrawFrame(identity, identity, NULL);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image) && icetWallTime() - begin < 10);
  const IceTEnum error = icetGetError();
  if (is_last_rank() && !last_fails) return;
  CHECK(error == ICET_SANITY_CHECK_FAIL);
  CHECK_HOLDS(printed, ":ERROR: ");
  if (!is_last_rank()) CHECK_HOLDS(printed, why);
}

static IceTContext make_impatient_context(void) {
  setenv("SORTLAST_ICET_TIMEOUT", "0.5", 1);
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
  const Scene scene = nearest_scene(12);
  set_scene(&scene);
  return context;
}

// The last rank comes late to a frame, the first of its context or a later one: it gets an error too, and the
// next frame is right.
static void check_late_call(int frames_before) {
  const IceTContext context = make_impatient_context();
  char why[32] = "not all ranks";
  if (frames_before > 0) snprintf(why, sizeof why, "rank %d", world_size() - 1);
  for (int i = 0; i < frames_before; ++i) check_right_frame();
  check_late_frame(3, why, true);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  check_right_frame();
  end_context(context);
}

// It takes too long to draw, and does not hear that the others gave up where it need not wait for them.
static void draw_slowly(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  if (is_last_rank()) sleep_for(3);
  draw_scene(projection, modelview, background, readback, result);
}

static void check_slow_callback(void) {
  const IceTContext context = make_impatient_context();
  check_right_frame();
  icetDrawCallback(draw_slowly);
  char why[32];
  snprintf(why, sizeof why, "rank %d", world_size() - 1);
  check_late_frame(0, why, false);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

void test_missing_ranks(void) {
  if (world_size() < 2) return;
  check_late_call(1);
  check_late_call(0);
  check_slow_callback();
}
