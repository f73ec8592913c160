// Random calls of all functions, with right and wrong arguments, also in draw callbacks, on each rank by
// itself: none of them may crash, and what is wrong is told by icetGetError().
#include <stdlib.h>
#include <string.h>

#include "IceTGL.h"
#include "IceTGL3.h"
#include "check.h"
#include "scene.h"
#include "tests.h"

enum { number_of_calls = 10000, fewest_seeds = 3, most_seeds = 10, most_contexts = 4, room = 1 << 14 };
static const double long_enough = 10;  // [s]; a further seed is begun before

static uint32_t state;
static uint32_t draw_number(uint32_t end) {
  state += 0x9e3779b9U;
  return scramble(state) % end;
}
#define PICK(list) ((list)[draw_number(sizeof(list) / sizeof *(list))])

static IceTContext contexts[most_contexts];
static IceTImage image;           // the last result
static IceTDouble numbers[room];  // room for whatever is asked or copied
static int depth;                 // of callbacks in callbacks
static bool must_fail;            // the arguments of the call that is made are wrong for sure

// ---- Arguments ---------------------------------------------------------------------------------------

static IceTInt any_integer(void) {
  static const IceTInt values[] = {0, 1, 2, 3, 5, 8, -1, -7, 2147483647, -2147483647 - 1, 65536};
  return PICK(values);
}

static IceTEnum any_enum(void) {
  switch (draw_number(8)) {
    case 0:
      return 0x6000 + draw_number(8);
    case 1:
      return 0x7000 + draw_number(9);
    case 2:
      return 0xC000 + draw_number(5);
    case 3:
      return 0xD000 + draw_number(4);
    case 4:
      return 0x8000 + draw_number(18);
    case 5:
      return 0x0300 + draw_number(4);
    case 6:
      return draw_number(0x200);
    default:
      return scramble(draw_number(1000));
  }
}

static IceTDouble any_number(void) {
  static const double values[] = {0, 1, -1, 0.25, -0.5, 3, 1e30, -1e30, 1e300, 1e-300};
  return draw_number(20) == 0   ? strtod("nan", NULL)
         : draw_number(20) == 0 ? strtod("inf", NULL)
                                : PICK(values);
}

static const IceTDouble* any_matrix(void) {
  static IceTDouble matrix[16];
  if (draw_number(2) == 0) return identity;
  if (draw_number(8) == 0) return NULL;
  for (int i = 0; i < 16; ++i) matrix[i] = any_number();
  return matrix;
}

static const IceTFloat* any_colour(void) {
  static IceTFloat colour[4];
  if (draw_number(4) == 0) return NULL;
  for (int i = 0; i < 4; ++i) colour[i] = (float)any_number();
  return colour;
}

static IceTContext any_context(void) {
  static int stranger;
  const uint32_t kind = draw_number(12);
  return kind == 0 ? NULL : kind == 1 ? (IceTContext)(void*)&stranger : PICK(contexts);
}

static IceTImage any_image(void) {
  static int stranger;
  const uint32_t kind = draw_number(8);
  return kind == 0 ? icetImageNull() : kind == 1 ? (IceTImage){&stranger} : image;
}

static void* any_room(void) { return draw_number(12) == 0 ? NULL : numbers; }

// ---- Callbacks ---------------------------------------------------------------------------------------

static void call_any(void);

static void draw_in_a_storm(const IceTDouble* projection, const IceTDouble* modelview,
                            const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  draw_scene(projection, modelview, background, readback, result);
  if (++depth < 3)
    for (uint32_t i = draw_number(4); i > 0; --i) call_any();
  --depth;
}
static void draw_by_opengl(void) {}
static void draw_by_opengl3(const IceTDouble* projection, const IceTDouble* modelview,
                            const IceTInt* readback, IceTUInt framebuffer) {
  (void)projection, (void)modelview, (void)readback, (void)framebuffer;
}

// ---- Calls -------------------------------------------------------------------------------------------

static void make(void) {
  IceTContext* place = &PICK(contexts);
  if (*place != NULL) return;
  const bool none = draw_number(8) == 0;
  IceTCommunicator comm = icetCreateMPICommunicator(none ? MPI_COMM_NULL : MPI_COMM_SELF);
  CHECK((comm == ICET_COMM_NULL) == none);
  *place = icetCreateContext(comm);
  must_fail = none;
  icetDestroyMPICommunicator(comm);
  if (*place == NULL) return;
  icetDiagnostics(ICET_DIAG_OFF);
  icetStrategy(ICET_STRATEGY_SEQUENTIAL);
  icetAddTile(0, 0, 6, 5, 0);
  icetDrawCallback(draw_in_a_storm);
}
static void destroy(void) {
  IceTContext* place = &PICK(contexts);
  icetDestroyContext(*place);
  const IceTEnum error = icetGetError();
  CHECK(*place != NULL || error != ICET_NO_ERROR);
  if (error == ICET_NO_ERROR) *place = NULL;
}
static void set_context(void) { icetSetContext(any_context()); }
static void get_context(void) {
  const IceTContext context = icetGetContext();
  bool found = context == NULL;
  for (int i = 0; i < most_contexts; ++i) found = found || contexts[i] == context;
  CHECK(found);
}
static void copy_state(void) { icetCopyState(any_context(), any_context()); }
static void wall_time(void) { CHECK(icetWallTime() > 0); }
static void set_vertices(void) {
  static const IceTInt sizes[] = {1, 2, 3, 4, 3, 4, 0, 5, -1};
  icetBoundingVertices(PICK(sizes), any_enum(), draw_number(2) == 0 ? 0 : 40, any_integer() % 17, any_room());
}
static void set_box(void) {
  icetBoundingBoxd(any_number(), any_number(), any_number(), any_number(), any_number(), any_number());
}
static void set_box_of_floats(void) {
  icetBoundingBoxf((float)any_number(), (float)any_number(), (float)any_number(), (float)any_number(),
                   (float)any_number(), (float)any_number());
}
static void set_group(void) {
  const IceTInt ranks[3] = {any_integer() % 2, any_integer() % 2, 0};
  icetDataReplicationGroup(any_integer() % 4, draw_number(8) == 0 ? NULL : ranks);
}
static void set_colour(void) { icetDataReplicationGroupColor(any_integer()); }
static void reset_tiles(void) { icetResetTiles(); }
static void add_tile(void) {
  static const IceTInt lengths[] = {1, 2, 5, 9, 0, -1, -2147483647 - 1};
  const IceTInt large = draw_number(12) == 0 ? 100000 : 0;  // 32 bits do not count the pixels
  const IceTInt width = large != 0 ? large : PICK(lengths);
  const IceTInt height = large != 0 ? large : PICK(lengths);
  const int place = icetAddTile(any_integer(), any_integer(), width, height, draw_number(6) == 0 ? 1 : 0);
  CHECK(place >= 0 || icetGetError() != ICET_NO_ERROR);
}
static void set_window(void) {
  static const IceTInt lengths[] = {0, 1, 5, 6, 12, -1, -2147483647 - 1};
  const bool large = draw_number(12) == 0;
  must_fail = large;
  icetPhysicalRenderSize(large ? 100000 : PICK(lengths), large ? 2147483647 : PICK(lengths));
}
static void set_colour_format(void) { icetSetColorFormat(any_enum()); }
static void set_depth_format(void) { icetSetDepthFormat(any_enum()); }
static void set_strategy(void) {
  const IceTEnum strategy = any_enum();
  must_fail = strategy < ICET_STRATEGY_DIRECT || strategy > ICET_STRATEGY_VTREE;
  icetStrategy(strategy);
}
static void set_single_image(void) {
  const IceTEnum strategy = any_enum();
  must_fail = strategy < 0x7001 || strategy > 0x7006;
  icetSingleImageStrategy(strategy);
}
static void get_names(void) {
  icetGetStrategyName();
  icetGetSingleImageStrategyName();
}
static void set_mode(void) { icetCompositeMode(any_enum()); }
static void set_order(void) {
  const IceTInt order[1] = {draw_number(3) == 0 ? 1 : 0};
  must_fail = order[0] == 1;
  icetCompositeOrder(draw_number(8) == 0 ? NULL : order);
}
static void set_callback(void) { icetDrawCallback(draw_number(4) == 0 ? NULL : draw_in_a_storm); }

// The null image comes with an error, or where the rank displays no tile.
static void check_frame(IceTImage result) {
  if (icetGetError() != ICET_NO_ERROR) {
    CHECK(icetImageIsNull(result));
  } else {
    image = result;
  }
}
static void draw(void) { check_frame(icetDrawFrame(any_matrix(), any_matrix(), any_colour())); }
static void draw_well(void) { check_frame(icetDrawFrame(identity, identity, NULL)); }
static void composite(void) {
  IceTInt viewport[4];
  for (int i = 0; i < 4; ++i) viewport[i] = any_integer();
  IceTInt global[4] = {0, 0, 0, 0};
  icetGetIntegerv(ICET_GLOBAL_VIEWPORT, global);
  const bool fits = (double)global[2] * global[3] * 16 <= (double)sizeof numbers;
  const bool all = draw_number(2) == 0;
  check_frame(icetCompositeImage(fits ? any_room() : NULL, fits ? any_room() : NULL, all ? NULL : viewport,
                                 any_matrix(), any_matrix(), any_colour()));
}
static void diagnostics(void) { icetDiagnostics(draw_number(2) == 0 ? ICET_DIAG_OFF : ICET_DIAG_ALL_NODES); }
static void get_any(void) {
  const IceTEnum name = draw_number(0x190);
  void* place = any_room();
  switch (draw_number(7)) {
    case 0:
      icetGetDoublev(name, place);
      break;
    case 1:
      icetGetFloatv(name, place);
      break;
    case 2:
      icetGetIntegerv(name, place);
      break;
    case 3:
      icetGetBooleanv(name, place);
      break;
    case 4:
      icetGetEnumv(name, place);
      break;
    case 5:
      icetGetBitFieldv(name, place);
      break;
    default:
      icetGetPointerv(name, place);
  }
  must_fail = place == NULL;
}
static void turn(void) {
  const IceTEnum name = draw_number(3) == 0 ? any_enum() : ICET_FLOATING_VIEWPORT + draw_number(9);
  must_fail = name < 0x141 || name > 0x17F || (name > 0x147 && name < 0x170);
  (draw_number(2) == 0 ? icetEnable : icetDisable)(name);
  icetIsEnabled(name);
}
static void look_at_image(void) {
  const IceTImage of = any_image();
  CHECK(icetImageIsNull(of) == (of.opaque_internals == NULL));
  icetImageGetColorFormat(of);
  icetImageGetDepthFormat(of);
  CHECK(icetImageGetWidth(of) * icetImageGetHeight(of) == icetImageGetNumPixels(of));
  icetImageGetColorub(of);
  icetImageGetColorui(of);
  icetImageGetColorf(of);
  icetImageGetDepthf(of);
  icetImageGetColorcub(of);
  icetImageGetColorcui(of);
  icetImageGetColorcf(of);
  icetImageGetDepthcf(of);
}
static void copy_image(void) {
  const IceTImage of = any_image();
  if ((size_t)icetImageGetNumPixels(of) * 16 > sizeof numbers) return;
  icetImageCopyColorub(of, any_room(), any_enum());
  icetImageCopyColorub(of, any_room(), ICET_IMAGE_COLOR_RGBA_UBYTE);
  icetImageCopyColorf(of, any_room(), any_enum());
  icetImageCopyColorf(of, any_room(), ICET_IMAGE_COLOR_RGB_FLOAT);
  icetImageCopyDepthf(of, any_room(), any_enum());
  icetImageCopyDepthf(of, any_room(), ICET_IMAGE_DEPTH_FLOAT);
}
static void call_opengl(void) {
  switch (draw_number(5)) {
    case 0:
      icetGLInitialize();
      break;
    case 1:
      icetGLSetReadBuffer(0x0400 + draw_number(16));
      break;
    case 2:
      icetGLDrawCallback(draw_number(3) == 0 ? NULL : draw_by_opengl);
      break;
    case 3:
      icetGLIsInitialized();
      break;
    default:
      must_fail = true;  // there is no OpenGL
      CHECK(icetImageIsNull(icetGLDrawFrame()));
  }
}
static void call_opengl3(void) {
  switch (draw_number(4)) {
    case 0:
      icetGL3Initialize();
      break;
    case 1:
      icetGL3DrawCallbackTexture(draw_number(3) == 0 ? NULL : draw_by_opengl3);
      break;
    case 2:
      icetGL3IsInitialized();
      break;
    default:
      must_fail = true;
      CHECK(icetImageIsNull(icetGL3DrawFrame(any_matrix(), any_matrix())));
  }
}

static void (*const calls[])(void) = {make,
                                      destroy,
                                      set_context,
                                      get_context,
                                      copy_state,
                                      wall_time,
                                      set_vertices,
                                      set_box,
                                      set_box_of_floats,
                                      set_group,
                                      set_colour,
                                      reset_tiles,
                                      add_tile,
                                      add_tile,
                                      set_window,
                                      set_colour_format,
                                      set_depth_format,
                                      set_strategy,
                                      set_single_image,
                                      get_names,
                                      set_mode,
                                      set_order,
                                      set_callback,
                                      draw,
                                      draw_well,
                                      draw_well,
                                      composite,
                                      composite,
                                      diagnostics,
                                      get_any,
                                      get_any,
                                      get_any,
                                      turn,
                                      look_at_image,
                                      copy_image,
                                      call_opengl,
                                      call_opengl3};

static void call_any(void) {
  icetGetError();
  must_fail = false;
  PICK(calls)();
  const IceTEnum error = icetGetError();
  if (must_fail) CHECK(error != ICET_NO_ERROR);
  CHECK(error == ICET_NO_ERROR || error >= ICET_INVALID_VALUE);
  must_fail = false;
}

void test_storm(void) {
  begin_capture();  // without a context errors are printed in any case
  const Scene scene = nearest_scene(5);
  const double begin = icetWallTime();
  for (uint32_t seed = 0; seed < most_seeds; ++seed) {
    if (seed >= fewest_seeds && icetWallTime() - begin > long_enough) break;
    state = scramble(1000 * seed + (uint32_t)world_rank() + 1);
    for (int i = 0; i < number_of_calls; ++i) call_any();
    for (int i = 0; i < most_contexts; ++i) {
      if (contexts[i] != NULL) icetDestroyContext(contexts[i]);
      contexts[i] = NULL;
    }
    image = icetImageNull();
    icetGetError();

    // After all that a frame is right.
    const IceTContext context = make_context_of_scene(&scene);
    check_frame_of_scene(&scene);
    end_context(context);
  }
  end_capture();
}
