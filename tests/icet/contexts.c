// Contexts: several at once, what is copied between them, and those that do not exist.
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static IceTInt integer(IceTEnum name) {
  IceTInt value = -12345;
  icetGetIntegerv(name, &value);
  return value;
}

// Two contexts take turns; each keeps its settings, its picture and its count of frames.
void test_contexts(void) {
  const IceTInt small_tile[4] = {0, 0, 5, 4};
  const IceTInt wide_tile[4] = {2, 3, 33, 6};
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  random_order(9, order);
  const Scene nearest = nearest_scene(1);
  Scene blended = blended_scene(2, order);
  blended.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  const IceTContext one = make_context();
  icetAddTile(small_tile[0], small_tile[1], small_tile[2], small_tile[3], 0);
  const IceTContext other = make_context();
  CHECK(one != other && icetGetContext() == other);
  icetAddTile(wide_tile[0], wide_tile[1], wide_tile[2], wide_tile[3], 0);
  icetStrategy(ICET_STRATEGY_DIRECT);
  for (int round = 1; round <= 3; ++round) {
    icetSetContext(one);
    CHECK(icetGetContext() == one && integer(ICET_STRATEGY) == (IceTInt)ICET_STRATEGY_REDUCE);
    set_scene(&nearest);
    const IceTImage first = draw_frame(&nearest);
    icetSetContext(other);
    CHECK(integer(ICET_STRATEGY) == (IceTInt)ICET_STRATEGY_DIRECT);
    set_scene(&blended);
    const IceTImage second = draw_frame(&blended);
    CHECK(integer(ICET_FRAME_COUNT) == round);
    if (world_rank() == 0) {
      check_tile(&nearest, first, small_tile);  // as it was: another context's frame did not touch it
      check_tile(&blended, second, wide_tile);
    }
    CHECK_ERROR(ICET_NO_ERROR);
  }
  end_context(one);
  CHECK(icetGetContext() == other);
  const IceTImage image = draw_frame(&blended);
  if (world_rank() == 0) check_tile(&blended, image, wide_tile);
  end_context(other);
  CHECK(icetGetContext() == NULL);
  free(order);
}

// All settings are copied but those of ranks, and the contexts stay apart.
void test_copied_state(void) {
  const int p = world_size();
  IceTInt* order = allocate((size_t)p * sizeof *order);
  IceTInt* found = allocate((size_t)p * sizeof *found);
  for (int i = 0; i < p; ++i) order[i] = p - 1 - i;
  const IceTContext source = make_context();
  const IceTInt tile[4] = {1, 2, 9, 8};
  icetAddTile(1, 2, 9, 8, p - 1);
  icetPhysicalRenderSize(20, 30);
  icetStrategy(ICET_STRATEGY_SEQUENTIAL);
  icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_RADIXK);
  icetBoundingBoxd(-1, 1, -1, 1, -1, 1);
  icetDisable(ICET_FLOATING_VIEWPORT);
  icetDataReplicationGroupColor(1);
  Scene scene = blended_scene(4, order);
  scene.correct_background = true;
  scene.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  set_scene(&scene);
  icetDiagnostics(ICET_DIAG_ALL_NODES | ICET_DIAG_ERRORS);

  const IceTContext copy = make_context();
  icetCopyState(copy, source);
  CHECK(icetGetContext() == copy);
  CHECK(integer(ICET_NUM_TILES) == 1 && integer(ICET_PHYSICAL_RENDER_HEIGHT) == 30);
  CHECK(integer(ICET_STRATEGY) == (IceTInt)ICET_STRATEGY_SEQUENTIAL);
  CHECK(integer(ICET_SINGLE_IMAGE_STRATEGY) == (IceTInt)ICET_SINGLE_IMAGE_STRATEGY_RADIXK);
  CHECK(integer(ICET_NUM_BOUNDING_VERTS) == 8);
  CHECK(integer(ICET_COMPOSITE_MODE) == (IceTInt)ICET_COMPOSITE_MODE_BLEND);
  CHECK(integer(ICET_COLOR_FORMAT) == (IceTInt)ICET_IMAGE_COLOR_RGBA_FLOAT);
  CHECK(integer(ICET_DEPTH_FORMAT) == (IceTInt)ICET_IMAGE_DEPTH_NONE);
  CHECK(integer(ICET_DIAGNOSTIC_LEVEL) == (ICET_DIAG_ALL_NODES | ICET_DIAG_ERRORS));
  CHECK(icetIsEnabled(ICET_ORDERED_COMPOSITE) && !icetIsEnabled(ICET_FLOATING_VIEWPORT));
  CHECK(icetIsEnabled(ICET_CORRECT_COLORED_BACKGROUND));
  IceTVoid* callback = NULL;
  icetGetPointerv(ICET_DRAW_FUNCTION, &callback);
  CHECK(callback != NULL);
  icetGetIntegerv(ICET_COMPOSITE_ORDER, found);
  for (int i = 0; i < p; ++i) CHECK(found[i] == i);
  CHECK(integer(ICET_DATA_REPLICATION_GROUP_SIZE) == 1);
  CHECK(integer(ICET_DATA_REPLICATION_GROUP) == world_rank());

  // The source is as it was after changes of the copy, and the copy draws with what it got.
  icetCompositeOrder(order);
  const IceTImage image = draw_frame(&scene);
  CHECK_ERROR(ICET_NO_ERROR);
  if (is_last_rank()) check_tile(&scene, image, tile);
  icetResetTiles();
  icetSetContext(source);
  CHECK(integer(ICET_NUM_TILES) == 1 && integer(ICET_DATA_REPLICATION_GROUP_SIZE) == p);
  end_context(source);
  end_context(copy);
  free(order);
  free(found);
}

// A tile that was copied may name a rank that the other context does not have.
void test_state_of_more_ranks(void) {
  if (world_size() < 2) return;
  const IceTContext all = make_context();
  icetAddTile(0, 0, 4, 4, world_size() - 1);
  const Scene scene = nearest_scene(3);
  set_scene(&scene);
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_SELF);
  const IceTContext alone = icetCreateContext(comm);
  icetDestroyMPICommunicator(comm);
  icetCopyState(alone, all);
  begin_capture();
  CHECK(icetImageIsNull(draw_frame(&scene)));
  CHECK_HOLDS(end_capture(), "rank");
  CHECK(icetGetError() != ICET_NO_ERROR);
  end_context(alone);
  end_context(all);
}

void test_contexts_that_do_not_exist(void) {
  const IceTContext context = make_context();
  const IceTContext ended = make_context();
  end_context(ended);
  icetSetContext(context);
  icetDiagnostics(ICET_DIAG_OFF);
  int foreign = 0;
  const IceTContext strangers[] = {ended, NULL, (IceTContext)(void*)&foreign};
  for (size_t i = 0; i < 3; ++i) {
    icetDestroyContext(strangers[i]);
    CHECK_ERROR(ICET_INVALID_VALUE);
    icetCopyState(context, strangers[i]);
    CHECK_ERROR(ICET_INVALID_VALUE);
    icetCopyState(strangers[i], context);
    CHECK_ERROR(ICET_INVALID_VALUE);
    if (strangers[i] == NULL) continue;
    icetSetContext(strangers[i]);
    CHECK_ERROR(ICET_INVALID_VALUE);
    CHECK(icetGetContext() == context);
  }
  icetSetContext(NULL);  // none is current
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(icetGetContext() == NULL);
  icetSetContext(context);
  end_context(context);
}
