// Timelines, which SORTLAST_TRACE names: of several contexts and frames, of some ranks, and of a program that
// ends in a frame. traces.cmake reads the files.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static IceTContext make_traced_context(MPI_Comm ranks) {
  IceTCommunicator comm = icetCreateMPICommunicator(ranks);
  const IceTContext context = icetCreateContext(comm);
  CHECK(context != NULL);
  icetDestroyMPICommunicator(comm);
  icetStrategy(ICET_STRATEGY_REDUCE);
  icetAddTile(0, 0, 5, 4, 0);
  const Scene scene = nearest_scene(3);
  set_scene(&scene);
  return context;
}

static void draw_traced_frame(IceTContext context) {
  icetSetContext(context);
  icetDrawFrame(identity, identity, NULL);
  CHECK_ERROR(ICET_NO_ERROR);
}

// Two contexts of all ranks that take turns, a frame that is refused, and one context of the ranks but the
// first.
void test_traced_contexts(void) {
  const IceTContext one = make_traced_context(MPI_COMM_WORLD);
  const IceTContext other = make_traced_context(MPI_COMM_WORLD);
  for (int frame = 0; frame < 3; ++frame) {
    draw_traced_frame(one);
    draw_traced_frame(other);
    icetDiagnostics(ICET_DIAG_OFF);
    icetDrawFrame(identity, is_last_rank() ? NULL : identity, NULL);
    CHECK(icetGetError() != ICET_NO_ERROR);
  }
  MPI_Comm rest = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() == 0 ? MPI_UNDEFINED : 0, 0, &rest);
  if (rest != MPI_COMM_NULL) {
    const IceTContext part = make_traced_context(rest);
    draw_traced_frame(part);
    MPI_Comm_free(&rest);
    end_context(part);
  }
  end_context(one);
  end_context(other);
}

static int calls;
static void end_in_third_call(const IceTDouble* projection, const IceTDouble* modelview,
                              const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  if (++calls == 3 && is_last_rank()) raise(SIGKILL);
  draw_scene(projection, modelview, background, readback, result);
}

void test_traced_end(void) {
  const IceTContext one = make_traced_context(MPI_COMM_WORLD);
  icetDrawCallback(end_in_third_call);
  const IceTContext other = make_traced_context(MPI_COMM_WORLD);
  for (int frame = 0; frame < 3; ++frame) {
    draw_traced_frame(one);
    draw_traced_frame(other);
  }
  CHECK(false);
}
