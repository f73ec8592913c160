// Ranks that come to a frame too late: the others do not wait for ever, and once that rank has come all go
// on.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static void sleep_for(double seconds) {
  const struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
  nanosleep(&time, NULL);
}

static void check_right_frame(void) {
  const Scene scene = nearest_scene(11);
  check_frame_of_scene(&scene);
}

// A frame in which this rank waits in vain for the last one: an error, which says `why`.
static void check_vain_frame(const char* why) {
  begin_capture();
  const IceTImage image = icetDrawFrame(identity, identity, NULL);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image));
  CHECK_ERROR(ICET_SANITY_CHECK_FAIL);
  CHECK_HOLDS(printed, ":ERROR: ");
  CHECK_HOLDS(printed, why);
}

// Of waits in frames, and of the making of the compositor in the first one [s]: short where that fails too.
static const char* const limit = "5";
static const char* const short_limit = "0.5";

static IceTContext make_impatient_context(const char* seconds) {
  setenv("SORTLAST_ICET_TIMEOUT", seconds, 1);
  const Scene scene = nearest_scene(11);
  return make_context_of_scene(&scene);
}

// The last rank comes late to a frame: it gets an error too, and the next frame is right.
static void check_late_call(void) {
  const IceTContext context = make_impatient_context(limit);
  char last[32];
  snprintf(last, sizeof last, "rank %d", world_size() - 1);
  check_right_frame();
  if (is_last_rank()) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
  check_vain_frame(is_last_rank() ? "" : last);
  if (!is_last_rank()) MPI_Barrier(MPI_COMM_WORLD);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  check_right_frame();
  end_context(context);
}

// It comes late to the first frame of a context, which the others have given up, and maybe tried again: it
// gets an error for each frame that they have given up, and the next is one frame for all of them.
static void check_late_first_call(int given_up) {
  const IceTContext context = make_impatient_context(short_limit);
  if (is_last_rank()) {
    MPI_Barrier(MPI_COMM_WORLD);
    setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
    for (int i = 0; i < given_up; ++i) check_vain_frame("the other ranks have given up this call");
  } else {
    for (int i = 0; i < given_up; ++i) check_vain_frame("not all ranks");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
  check_right_frame();
  check_right_frame();
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

// It takes longer to draw than the others wait: all of them get an error for that frame, and the next is
// right.
static void draw_slowly(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  if (is_last_rank()) MPI_Barrier(MPI_COMM_WORLD);  // until the others have given up
  draw_scene(projection, modelview, background, readback, result);
}

static void check_slow_callback(bool is_first) {
  const IceTContext context = make_impatient_context(limit);
  if (!is_first) check_right_frame();
  icetDrawCallback(draw_slowly);
  char last[32];
  snprintf(last, sizeof last, "rank %d", world_size() - 1);
  check_vain_frame(is_last_rank() ? "" : last);
  if (!is_last_rank()) MPI_Barrier(MPI_COMM_WORLD);
  setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
  check_right_frame();
  check_right_frame();
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

// A callback that is slow on all ranks keeps nobody waiting.
static void draw_slowly_everywhere(const IceTDouble* projection, const IceTDouble* modelview,
                                   const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  sleep_for(6);
  draw_scene(projection, modelview, background, readback, result);
}

static void check_slow_ranks(void) {
  const IceTContext context = make_impatient_context(limit);
  check_right_frame();
  MPI_Barrier(MPI_COMM_WORLD);
  const Scene scene = nearest_scene(11);
  icetDrawCallback(draw_slowly_everywhere);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, scene_tile);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

// It leaves a frame out: from then on each frame is an error on all ranks, until they make a new context.
static void check_left_out_frame(void) {
  IceTContext context = make_impatient_context(limit);
  check_right_frame();
  if (!is_last_rank()) check_vain_frame("");
  for (int i = 0; i < 3; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    check_vain_frame("");
  }
  end_context(context);
  MPI_Barrier(MPI_COMM_WORLD);
  context = make_impatient_context(limit);
  check_right_frame();
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

// It does not make a context that the others make: they get none, soon, and may try again.
static void check_missing_context(void) {
  setenv("SORTLAST_ICET_TIMEOUT", short_limit, 1);
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
  if (!is_last_rank()) {
    begin_capture();
    CHECK(icetCreateContext(comm) == NULL);
    CHECK_HOLDS(end_capture(), "icetCreateContext: ");
    CHECK_ERROR(ICET_SANITY_CHECK_FAIL);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
  const IceTContext context = icetCreateContext(comm);
  CHECK(context != NULL);
  icetDestroyMPICommunicator(comm);
  icetStrategy(ICET_STRATEGY_REDUCE);
  icetAddTile(scene_tile[0], scene_tile[1], scene_tile[2], scene_tile[3], 0);
  check_right_frame();
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

void test_missing_ranks(void) {
  if (world_size() < 2) return;
  check_late_call();
  check_late_first_call(1);
  check_late_first_call(2);
  check_missing_context();
}

void test_slow_ranks(void) {
  if (world_size() < 2) return;
  check_slow_ranks();
  check_slow_callback(true);
  check_slow_callback(false);
  check_left_out_frame();
}
