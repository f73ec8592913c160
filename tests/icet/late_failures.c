// A rank that fails at any moment of a frame, also when it or another has done its part of it: no rank waits
// for it beyond the limit, each has the right picture or an error, and the next frame is right.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static bool is_failing;  // this rank, in the frame to come
static bool counts;      // allocations

// A frame in which `rank` fails; on how many ranks it is an error.
static int draw_failing_frame(const Scene* scene, IceTDrawCallbackType callback, int rank) {
  is_failing = rank == world_rank();
  icetDrawCallback(callback);
  MPI_Barrier(MPI_COMM_WORLD);
  const IceTImage image = draw_frame(scene);
  is_failing = counts = false;
  const int is_error = icetGetError() != ICET_NO_ERROR;
  if (is_error) {
    CHECK(icetImageIsNull(image));
  } else if (world_rank() == 0) {
    check_tile(scene, image, scene_tile);
  }
  int errors = 0;
  MPI_Allreduce(&is_error, &errors, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return errors;
}

static void check_next_frames(const Scene* scene) {
  for (int i = 0; i < 2; ++i) check_frame_of_scene(scene);
}

// ---- Memory --------------------------------------------------------------------------------------------

#ifndef __SANITIZE_ADDRESS__    // which has an operator new of its own
static int allocations;         // of the library, since the callback returned
static int failing_allocation;  // on the rank that fails

// operator new, for all that the library allocates and nothing of the MPI does.
// NOLINTBEGIN(bugprone-reserved-identifier): its name in C
__attribute__((visibility("default"))) void* _Znwm(size_t bytes);
void* _Znwm(size_t bytes) {
  void* memory = counts && allocations++ == failing_allocation && is_failing ? NULL : malloc(bytes + !bytes);
  if (memory == NULL) {
    void (*throw_bad_alloc)(void) = NULL;
    void* found = dlsym(RTLD_DEFAULT, "_ZSt17__throw_bad_allocv");
    CHECK(found != NULL);
    memcpy(&throw_bad_alloc, &found, sizeof found);
    throw_bad_alloc();
  }
  return memory;
}
// NOLINTEND(bugprone-reserved-identifier)

static void draw_and_count(const IceTDouble* projection, const IceTDouble* modelview,
                           const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  draw_scene(projection, modelview, background, readback, result);
  allocations = 0;
  counts = true;
}

// Allocation n fails on one rank, in the first frame of a context: on how many ranks that is an error. The
// number of allocations of that rank is left in `number`.
static int errors_of_allocation(int rank, int n, int* number) {
  const Scene scene = nearest_scene((uint32_t)n);
  const IceTContext context = make_context_of_scene(&scene);
  icetDiagnostics(ICET_DIAG_OFF);
  failing_allocation = n;
  const int errors = draw_failing_frame(&scene, draw_and_count, rank);
  *number = allocations;
  MPI_Bcast(number, 1, MPI_INT, rank, MPI_COMM_WORLD);
  check_next_frames(&scene);
  end_context(context);
  return errors;
}

// On each rank the last allocations of a frame, which the other ranks may have finished by then, and some of
// those before.
static void check_memory(void) {
  enum { last = 8, before = 8, none = 1 << 30 };
  for (int rank = 0; rank < world_size(); ++rank) {
    int number = 0;
    // The first context of a program allocates more than the others.
    for (int i = 0; i < 2; ++i) CHECK(errors_of_allocation(rank, none, &number) == 0);
    CHECK(number > last);
    const int end = number;
    int failed = 0;
    int alone = 0;
    for (int i = 0; i < last + before; ++i) {
      const int n = i < last ? end - 1 - i : (int)(scramble((uint32_t)i) % (uint32_t)(end - last));
      const int errors = errors_of_allocation(rank, n, &number);
      failed += errors > 0 ? 1 : 0;
      alone += errors > 0 && errors < world_size() ? 1 : 0;
    }
    CHECK(failed > 0);
    if (rank == 0) CHECK(alone > 0);  // that displays: it failed after another had done its part
  }
}
#else
static void check_memory(void) {}
#endif

// ---- Time ----------------------------------------------------------------------------------------------

static double duration;  // of the drawing [s]
static void draw_late(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                      const IceTInt* readback, IceTImage result) {
  const struct timespec time = {(time_t)duration, (long)(1e9 * (duration - (double)(time_t)duration))};
  if (is_failing) nanosleep(&time, NULL);
  draw_scene(projection, modelview, background, readback, result);
}

// A rank draws about as long as the others wait, by a random difference.
static void check_time(void) {
  for (uint32_t i = 0; i < 5; ++i) {
    setenv("SORTLAST_ICET_TIMEOUT", "1", 1);
    const Scene scene = nearest_scene(i);
    const IceTContext context = make_context_of_scene(&scene);
    icetDiagnostics(ICET_DIAG_OFF);
    duration = 0.6 + scramble(i + 1) % 1000 * 0.0008;
    draw_failing_frame(&scene, draw_late, (int)(i % (uint32_t)world_size()));
    setenv("SORTLAST_ICET_TIMEOUT", "60", 1);
    check_next_frames(&scene);
    end_context(context);
  }
  unsetenv("SORTLAST_ICET_TIMEOUT");
}

void test_late_failures(void) {
  if (world_size() < 2) return;
  check_memory();
  check_time();
}
