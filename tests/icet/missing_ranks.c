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
  const Scene scene = nearest_scene(11);
  set_scene(&scene);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, tile);
}

// A frame in which this rank waits in vain for the last one: an error soon, which says `why`.
static void check_vain_frame(const char* why) {
  const double begin = icetWallTime();
  begin_capture();
  const IceTImage image = icetDrawFrame(identity, identity, NULL);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image) && icetWallTime() - begin < 10);
  CHECK_ERROR(ICET_SANITY_CHECK_FAIL);
  CHECK_HOLDS(printed, ":ERROR: ");
  CHECK_HOLDS(printed, why);
}

static IceTContext make_impatient_context(void) {
  setenv("SORTLAST_ICET_TIMEOUT", "0.5", 1);
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
  const Scene scene = nearest_scene(11);
  set_scene(&scene);
  return context;
}

// The last rank comes late to a frame: it gets an error too, and the next frame is right.
static void check_late_call(void) {
  const IceTContext context = make_impatient_context();
  char last[32];
  snprintf(last, sizeof last, "rank %d", world_size() - 1);
  check_right_frame();
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_last_rank()) sleep_for(3);
  check_vain_frame(is_last_rank() ? "" : last);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  check_right_frame();
  end_context(context);
}

// It comes late to the first frame of a context: the others may try again until it comes.
static void check_late_first_call(void) {
  const IceTContext context = make_impatient_context();
  MPI_Barrier(MPI_COMM_WORLD);
  if (is_last_rank()) {
    sleep_for(3);
  } else {
    check_vain_frame("not all ranks");
  }
  setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
  check_right_frame();
  check_right_frame();
  unsetenv("SORTLAST_ICET_TIMEOUT");
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
  char last[32];
  snprintf(last, sizeof last, "rank %d", world_size() - 1);
  if (is_last_rank()) {
    icetDiagnostics(ICET_DIAG_OFF);
    icetDrawFrame(identity, identity, NULL);
    icetGetError();
  } else {
    check_vain_frame(last);
  }
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

void test_missing_ranks(void) {
  if (world_size() < 2) return;
  check_late_call();
  check_late_first_call();
  check_slow_callback();
}
