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

// A frame for which the last rank takes too long, in the callback or before it.
static void slow_callback(const IceTDouble* projection, const IceTDouble* modelview,
                          const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  if (is_last_rank()) sleep_for(3);
  draw_scene(projection, modelview, background, readback, result);
}

static void check_late_frame(bool in_callback, bool first) {
  Scene scene = nearest_scene(12);
  set_scene(&scene);
  if (in_callback) icetDrawCallback(slow_callback);
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = icetWallTime();
  if (!in_callback && is_last_rank()) sleep_for(3);
  begin_capture();
  const IceTImage image = draw_frame(&scene);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image) && icetWallTime() - begin < 10);
  CHECK_ERROR(ICET_SANITY_CHECK_FAIL);
  char late[32];
  snprintf(late, sizeof late, "rank %d", world_size() - 1);
  CHECK_HOLDS(printed, ":ERROR: ");
  if (!is_last_rank()) CHECK_HOLDS(printed, first ? "not all ranks" : late);
}

// One context: `frames` that are right, one that a rank comes late to, and then one that is right again.
static void check_recovery(int frames, bool in_callback) {
  setenv("SORTLAST_ICET_TIMEOUT", "0.5", 1);
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
  for (int i = 0; i < frames; ++i) check_right_frame();
  check_late_frame(in_callback, frames == 0 && !in_callback);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  check_right_frame();
  end_context(context);
}

void test_missing_ranks(void) {
  if (world_size() < 2) return;
  check_recovery(1, false);
  check_recovery(1, true);
  check_recovery(0, true);
  check_recovery(0, false);
}
