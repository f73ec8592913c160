// No context is current: every function that needs one gives an error and a defined value.
#include <string.h>

#include "IceTGL.h"
#include "IceTGL3.h"
#include "check.h"
#include "scene.h"
#include "tests.h"

// That a call was an error and said so.
#define CHECK_REFUSED(call)                              \
  do {                                                   \
    begin_capture();                                     \
    call;                                                \
    CHECK_HOLDS(end_capture(), "no context is current"); \
    CHECK_ERROR(ICET_INVALID_OPERATION);                 \
  } while (false)

static void check_settings(void) {
  const IceTInt rank = 0;
  CHECK_REFUSED(icetDiagnostics(ICET_DIAG_FULL));
  CHECK_REFUSED(icetBoundingVertices(3, ICET_DOUBLE, 0, 1, identity));
  CHECK_REFUSED(icetBoundingBoxd(0, 1, 0, 1, 0, 1));
  CHECK_REFUSED(icetBoundingBoxf(0, 1, 0, 1, 0, 1));
  CHECK_REFUSED(icetDataReplicationGroup(1, &rank));
  CHECK_REFUSED(icetDataReplicationGroupColor(0));
  CHECK_REFUSED(icetResetTiles());
  CHECK_REFUSED(CHECK(icetAddTile(0, 0, 1, 1, 0) == -1));
  CHECK_REFUSED(icetPhysicalRenderSize(1, 1));
  CHECK_REFUSED(icetSetColorFormat(ICET_IMAGE_COLOR_NONE));
  CHECK_REFUSED(icetSetDepthFormat(ICET_IMAGE_DEPTH_NONE));
  CHECK_REFUSED(icetStrategy(ICET_STRATEGY_DIRECT));
  CHECK_REFUSED(CHECK(icetGetStrategyName() == NULL));
  CHECK_REFUSED(icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_TREE));
  CHECK_REFUSED(CHECK(icetGetSingleImageStrategyName() == NULL));
  CHECK_REFUSED(icetCompositeMode(ICET_COMPOSITE_MODE_BLEND));
  CHECK_REFUSED(icetCompositeOrder(&rank));
  CHECK_REFUSED(icetDrawCallback(draw_scene));
  CHECK_REFUSED(icetEnable(ICET_ORDERED_COMPOSITE));
  CHECK_REFUSED(icetDisable(ICET_ORDERED_COMPOSITE));
}

static void check_queries(void) {
  IceTDouble number = 7;
  IceTFloat small_number = 7;
  IceTInt integer = 7;
  IceTBoolean boolean = 7;
  IceTEnum enumeration = 7;
  IceTBitField bits = 7;
  IceTVoid* pointer = &number;
  CHECK_REFUSED(icetGetDoublev(ICET_RANK, &number));
  CHECK_REFUSED(icetGetFloatv(ICET_RANK, &small_number));
  CHECK_REFUSED(icetGetIntegerv(ICET_RANK, &integer));
  CHECK_REFUSED(icetGetBooleanv(ICET_RANK, &boolean));
  CHECK_REFUSED(icetGetEnumv(ICET_RANK, &enumeration));
  CHECK_REFUSED(icetGetBitFieldv(ICET_RANK, &bits));
  CHECK_REFUSED(icetGetPointerv(ICET_DRAW_FUNCTION, &pointer));
  CHECK(number == 7 && small_number == 7 && integer == 7 && boolean == 7 && enumeration == 7 && bits == 7);
  CHECK(pointer == &number);
  CHECK_REFUSED(CHECK(icetIsEnabled(ICET_COLLECT_IMAGES) == ICET_FALSE));
}

static void check_frames(void) {
  const IceTFloat background[4] = {0};
  CHECK_REFUSED(CHECK(icetImageIsNull(icetDrawFrame(identity, identity, background))));
  CHECK_REFUSED(
      CHECK(icetImageIsNull(icetCompositeImage(identity, NULL, NULL, identity, identity, background))));
  CHECK_REFUSED(icetGLInitialize());
  CHECK_REFUSED(icetGLSetReadBuffer(0x0405));
  CHECK_REFUSED(icetGLDrawCallback(NULL));
  CHECK_REFUSED(CHECK(icetImageIsNull(icetGLDrawFrame())));
  CHECK_REFUSED(icetGL3Initialize());
  CHECK_REFUSED(icetGL3DrawCallbackTexture(NULL));
  CHECK_REFUSED(CHECK(icetImageIsNull(icetGL3DrawFrame(identity, identity))));
  CHECK(icetGLIsInitialized() == ICET_FALSE && icetGL3IsInitialized() == ICET_FALSE);
}

void test_without_context(void) {
  CHECK(icetGetContext() == NULL);
  check_settings();
  check_queries();
  check_frames();
  const IceTDouble begin = icetWallTime();
  CHECK(icetWallTime() >= begin);
  CHECK_ERROR(ICET_NO_ERROR);
}
