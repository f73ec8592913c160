// Every name that can be asked, by every function that asks; and what is enabled and disabled.
#include <stdlib.h>
#include <string.h>

#include "IceTGL.h"
#include "check.h"
#include "scene.h"
#include "tests.h"

enum Kind { integers, doubles, booleans, pointers };

// What is asked, how many values there are on the display of this test, and what the values are, if they are
// the same on all ranks and do not depend on the clock.
typedef struct Parameter {
  IceTEnum name;
  enum Kind kind;
  int number;
  const double* values;
} Parameter;

#define VALUES(...) ((const double[]){__VA_ARGS__})
#define ONE(value) 1, VALUES(value)
#define UNKNOWN(number) (number), NULL

static const double matrix[16] = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static const Parameter parameters[] = {
    {ICET_DIAGNOSTIC_LEVEL, integers, ONE(0)},
    {ICET_RANK, integers, UNKNOWN(1)},
    {ICET_NUM_PROCESSES, integers, UNKNOWN(1)},
    {ICET_BACKGROUND_COLOR, doubles, 4, VALUES(0.25, 0.5, 0.75, 1)},
    {ICET_BACKGROUND_COLOR_WORD, integers, UNKNOWN(1)},
    {ICET_PHYSICAL_RENDER_WIDTH, integers, ONE(30)},
    {ICET_PHYSICAL_RENDER_HEIGHT, integers, ONE(20)},
    {ICET_COLOR_FORMAT, integers, ONE(ICET_IMAGE_COLOR_RGBA_UBYTE)},
    {ICET_DEPTH_FORMAT, integers, ONE(ICET_IMAGE_DEPTH_FLOAT)},
    {ICET_NUM_TILES, integers, ONE(1)},
    {ICET_TILE_VIEWPORTS, integers, 4, VALUES(-3, 4, 16, 8)},
    {ICET_GLOBAL_VIEWPORT, integers, 4, VALUES(-3, 4, 16, 8)},
    {ICET_TILE_MAX_WIDTH, integers, ONE(16)},
    {ICET_TILE_MAX_HEIGHT, integers, ONE(8)},
    {ICET_DISPLAY_NODES, integers, ONE(0)},
    {ICET_TILE_DISPLAYED, integers, UNKNOWN(1)},
    {ICET_GEOMETRY_BOUNDS, doubles, 6, VALUES(-0.25, -0.25, 0.5, 0.25, 0.25, -0.5)},
    {ICET_NUM_BOUNDING_VERTS, integers, ONE(2)},
    {ICET_STRATEGY, integers, ONE(ICET_STRATEGY_REDUCE)},
    {ICET_SINGLE_IMAGE_STRATEGY, integers, ONE(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC)},
    {ICET_COMPOSITE_MODE, integers, ONE(ICET_COMPOSITE_MODE_Z_BUFFER)},
    {ICET_COMPOSITE_ORDER, integers, UNKNOWN(-1)},
    {ICET_PROCESS_ORDERS, integers, UNKNOWN(-1)},
    {ICET_STRATEGY_SUPPORTS_ORDERING, booleans, ONE(1)},
    {ICET_DATA_REPLICATION_GROUP, integers, UNKNOWN(1)},
    {ICET_DATA_REPLICATION_GROUP_SIZE, integers, ONE(1)},
    {ICET_FRAME_COUNT, integers, ONE(1)},
    {ICET_MAGIC_K, integers, ONE(ICET_MAGIC_K_DEFAULT)},
    {ICET_MAX_IMAGE_SPLIT, integers, ONE(ICET_MAX_IMAGE_SPLIT_DEFAULT)},
    {ICET_DRAW_FUNCTION, pointers, UNKNOWN(1)},
    {ICET_IS_DRAWING_FRAME, booleans, ONE(0)},
    {ICET_PROJECTION_MATRIX, doubles, 16, matrix},
    {ICET_MODELVIEW_MATRIX, doubles, 16, identity},
    {ICET_CONTAINED_VIEWPORT, integers, 4, VALUES(1, 6, 8, 4)},
    {ICET_NEAR_DEPTH, doubles, ONE(-0.5)},
    {ICET_FAR_DEPTH, doubles, ONE(0.5)},
    {ICET_NUM_CONTAINED_TILES, integers, ONE(1)},
    {ICET_CONTAINED_TILES_LIST, integers, ONE(0)},
    {ICET_CONTAINED_TILES_MASK, booleans, ONE(1)},
    {ICET_ALL_CONTAINED_TILES_MASKS, booleans, UNKNOWN(0)},
    {ICET_TILE_CONTRIB_COUNTS, integers, UNKNOWN(1)},
    {ICET_TOTAL_IMAGE_COUNT, integers, UNKNOWN(1)},
    {ICET_NEED_BACKGROUND_CORRECTION, booleans, ONE(0)},
    {ICET_TRUE_BACKGROUND_COLOR, doubles, 4, VALUES(0.25, 0.5, 0.75, 1)},
    {ICET_TRUE_BACKGROUND_COLOR_WORD, integers, UNKNOWN(1)},
    {ICET_VALID_PIXELS_TILE, integers, UNKNOWN(1)},
    {ICET_VALID_PIXELS_OFFSET, integers, ONE(0)},
    {ICET_VALID_PIXELS_NUM, integers, UNKNOWN(1)},
    {ICET_RENDERED_VIEWPORT, integers, 4, VALUES(-3, 4, 30, 20)},
    {ICET_PRE_RENDERED, booleans, ONE(0)},
    {ICET_RENDER_TIME, doubles, UNKNOWN(1)},
    {ICET_BUFFER_READ_TIME, doubles, UNKNOWN(1)},
    {ICET_BUFFER_WRITE_TIME, doubles, ONE(0)},
    {ICET_COMPRESS_TIME, doubles, UNKNOWN(1)},
    {ICET_INTERLACE_TIME, doubles, ONE(0)},
    {ICET_COMPARE_TIME, doubles, UNKNOWN(1)},
    {ICET_BLEND_TIME, doubles, UNKNOWN(1)},
    {ICET_COMPOSITE_TIME, doubles, UNKNOWN(1)},
    {ICET_COLLECT_TIME, doubles, UNKNOWN(1)},
    {ICET_TOTAL_DRAW_TIME, doubles, UNKNOWN(1)},
    {ICET_BYTES_SENT, doubles, UNKNOWN(1)},
    {ICET_FLOATING_VIEWPORT, booleans, ONE(1)},
    {ICET_ORDERED_COMPOSITE, booleans, ONE(0)},
    {ICET_CORRECT_COLORED_BACKGROUND, booleans, ONE(0)},
    {ICET_COMPOSITE_ONE_BUFFER, booleans, ONE(1)},
    {ICET_INTERLACE_IMAGES, booleans, ONE(1)},
    {ICET_COLLECT_IMAGES, booleans, ONE(1)},
    {ICET_RENDER_EMPTY_IMAGES, booleans, ONE(0)},
    {ICET_GL_INITIALIZED, booleans, ONE(1)},
    {ICET_GL_READ_BUFFER, integers, ONE(0x0405)},
    {ICET_GL_DRAW_FUNCTION, pointers, UNKNOWN(1)},
    {ICET_GL_DISPLAY, booleans, ONE(1)},
    {ICET_GL_DISPLAY_COLORED_BACKGROUND, booleans, ONE(0)},
    {ICET_GL_DISPLAY_INFLATE, booleans, ONE(0)},
    {ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE, booleans, ONE(1)},
};

// Ask by one function, in a place that shows how many values were written.
#define ROOM 64
#define ASK(function, Type, values, parameter, allowed)                                         \
  do {                                                                                          \
    Type found[ROOM];                                                                           \
    memset(found, 0x6b, sizeof found);                                                          \
    Type untouched;                                                                             \
    memset(&untouched, 0x6b, sizeof untouched);                                                 \
    function((parameter)->name, found);                                                         \
    CHECK_ERROR((allowed) ? ICET_NO_ERROR : ICET_BAD_CAST);                                     \
    const int written = (allowed) ? number : 0;                                                 \
    CHECK(memcmp(&found[written], &untouched, sizeof untouched) == 0);                          \
    for (int i = 0; i < written && (values) != NULL; ++i) CHECK(found[i] == (Type)(values)[i]); \
  } while (false)

// Integers are enumerations and bit fields too; what is no pointer can be asked as any number.
static void check_parameter(const Parameter* parameter) {
  const int number = parameter->number < 0 ? world_size() : parameter->number;
  const bool is_number = parameter->kind != pointers;
  const bool is_integer = is_number && parameter->kind != doubles;
  const double* values = parameter->values;
  ASK(icetGetDoublev, IceTDouble, values, parameter, is_number);
  ASK(icetGetFloatv, IceTFloat, values, parameter, is_number);
  // Casts cut off what does not fit; the values of enumerations fit no signed integer of 32 bits.
  const double* none = NULL;
  const double* small = parameter->kind == doubles ? NULL : values;
  ASK(icetGetIntegerv, IceTInt, small, parameter, is_number);
  ASK(icetGetBooleanv, IceTBoolean, parameter->kind == booleans ? values : none, parameter, is_number);
  const bool is_negative = values != NULL && values[0] < 0;
  ASK(icetGetEnumv, IceTEnum, is_negative ? none : small, parameter, is_integer);
  ASK(icetGetBitFieldv, IceTBitField, is_negative ? none : small, parameter, is_integer);
  IceTVoid* pointer = &pointer;
  icetGetPointerv(parameter->name, &pointer);
  CHECK_ERROR(is_number ? ICET_BAD_CAST : ICET_NO_ERROR);
  CHECK((pointer == &pointer) == is_number);
}

static void callback(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                     const IceTInt* readback, IceTImage result) {
  IceTBoolean is_drawing = ICET_FALSE;
  icetGetBooleanv(ICET_IS_DRAWING_FRAME, &is_drawing);
  CHECK(is_drawing == ICET_TRUE);
  draw_scene(projection, modelview, background, readback, result);
}

static void check_of_ranks(void) {
  const int p = world_size();
  const int r = world_rank();
  IceTInt value = -2;
  icetGetIntegerv(ICET_RANK, &value);
  CHECK(value == r);
  icetGetIntegerv(ICET_NUM_PROCESSES, &value);
  CHECK(value == p);
  icetGetIntegerv(ICET_TILE_DISPLAYED, &value);
  CHECK(value == (r == 0 ? 0 : -1));
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP, &value);
  CHECK(value == r);
  IceTInt* order = allocate((size_t)p * sizeof *order);
  IceTInt* places = allocate((size_t)p * sizeof *places);
  icetGetIntegerv(ICET_COMPOSITE_ORDER, order);
  for (int i = 0; i < p; ++i) CHECK(order[i] == i);
  random_order(6, order);
  icetCompositeOrder(order);
  icetGetIntegerv(ICET_PROCESS_ORDERS, places);
  for (int i = 0; i < p; ++i) CHECK(places[order[i]] == i);
  free(order);
  free(places);

  // The background as the bytes of a pixel.
  IceTInt word = 0;
  icetGetIntegerv(ICET_BACKGROUND_COLOR_WORD, &word);
  const IceTUByte bytes[4] = {63, 127, 191, 255};
  CHECK(memcmp(&word, bytes, 4) == 0);
  icetGetIntegerv(ICET_TRUE_BACKGROUND_COLOR_WORD, &word);
  CHECK(memcmp(&word, bytes, 4) == 0);
  IceTVoid* pointer = NULL;
  icetGetPointerv(ICET_DRAW_FUNCTION, &pointer);
  IceTDrawCallbackType function = callback;
  CHECK(memcmp(&pointer, &function, sizeof pointer) == 0);
}

// Times add up, and are those of one frame.
static void check_times(double passed) {
  IceTDouble total = -1;
  IceTDouble part[4] = {-1, -1, -1, -1};
  icetGetDoublev(ICET_TOTAL_DRAW_TIME, &total);
  icetGetDoublev(ICET_RENDER_TIME, &part[0]);
  icetGetDoublev(ICET_BUFFER_READ_TIME, &part[1]);
  icetGetDoublev(ICET_BUFFER_WRITE_TIME, &part[2]);
  icetGetDoublev(ICET_COMPOSITE_TIME, &part[3]);
  double sum = 0;
  for (int i = 0; i < 4; ++i) {
    CHECK(part[i] >= 0);
    sum += part[i];
  }
  CHECK(total > 0 && total <= passed && sum > 0.999 * total && sum < 1.001 * total);
  IceTDouble inner[4] = {-1, -1, -1, -1};
  icetGetDoublev(ICET_COMPRESS_TIME, &inner[0]);
  icetGetDoublev(ICET_COMPARE_TIME, &inner[1]);
  icetGetDoublev(ICET_COLLECT_TIME, &inner[2]);
  icetGetDoublev(ICET_BYTES_SENT, &inner[3]);
  for (int i = 0; i < 3; ++i) CHECK(inner[i] >= 0 && inner[i] <= total);
  CHECK(inner[3] >= 0);
}

void test_state(void) {
  const IceTContext context = make_context();
  icetDiagnostics(ICET_DIAG_OFF);
  icetGLInitialize();
  CHECK(icetGLIsInitialized());
  icetAddTile(-3, 4, 16, 8, 0);
  icetPhysicalRenderSize(30, 20);
  const IceTFloat corners[] = {-0.25F, -0.25F, 0.5F, 0.25F, 0.25F, -0.5F};
  icetBoundingVertices(3, ICET_FLOAT, 0, 2, corners);
  Scene scene = nearest_scene(1);
  for (size_t c = 0; c < 4; ++c) scene.background[c] = 0.25F * (float)(c + 1);
  set_scene(&scene);
  icetDrawCallback(callback);
  const double begin = icetWallTime();
  icetDrawFrame(matrix, identity, scene.background);
  CHECK_ERROR(ICET_NO_ERROR);
  check_times(icetWallTime() - begin);
  for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i) check_parameter(&parameters[i]);
  check_of_ranks();
  end_context(context);
}

void test_wrong_queries(void) {
  const IceTContext context = make_context();
  icetDiagnostics(ICET_DIAG_OFF);
  IceTInt value = 5;
  for (IceTEnum name = 0; name < ICET_STATE_SIZE + 10; ++name) {
    bool is_known = (name >= ICET_FLOATING_VIEWPORT && name <= ICET_RENDER_EMPTY_IMAGES) ||
                    (name >= ICET_RENDER_LAYER_ENABLE_START && name < ICET_RENDER_LAYER_ENABLE_END);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; ++i)
      is_known = is_known || (parameters[i].name == name && name != ICET_GL_READ_BUFFER);
    if (is_known) continue;
    icetGetIntegerv(name, &value);
    CHECK_ERROR(ICET_INVALID_ENUM);
    CHECK(value == 5);
    icetEnable(name);
    CHECK_ERROR(ICET_INVALID_VALUE);
  }
  icetGetIntegerv(ICET_RANK, NULL);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetGetPointerv(ICET_DRAW_FUNCTION, NULL);
  CHECK_ERROR(ICET_INVALID_VALUE);

  // What no integer holds becomes the nearest that one does.
  icetBoundingBoxd(-1e30, 1e30, 0, 1, 0, 1);
  IceTInt bounds[24];
  icetGetIntegerv(ICET_GEOMETRY_BOUNDS, bounds);
  CHECK(bounds[0] == -0x7fffffff - 1 && bounds[12] == 0x7fffffff);
  end_context(context);
}

void test_enabled(void) {
  const IceTContext context = make_context();
  static const IceTEnum names[] = {ICET_FLOATING_VIEWPORT,
                                   ICET_ORDERED_COMPOSITE,
                                   ICET_CORRECT_COLORED_BACKGROUND,
                                   ICET_COMPOSITE_ONE_BUFFER,
                                   ICET_INTERLACE_IMAGES,
                                   ICET_COLLECT_IMAGES,
                                   ICET_RENDER_EMPTY_IMAGES,
                                   ICET_GL_DISPLAY,
                                   ICET_GL_DISPLAY_COLORED_BACKGROUND,
                                   ICET_GL_DISPLAY_INFLATE,
                                   ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE};
  const size_t number = sizeof names / sizeof *names;
  for (size_t i = 0; i < number; ++i) {
    const IceTBoolean before = icetIsEnabled(names[i]);
    IceTBoolean others[sizeof names / sizeof *names];
    for (size_t j = 0; j < number; ++j) others[j] = icetIsEnabled(names[j]);
    icetEnable(names[i]);
    CHECK(icetIsEnabled(names[i]) == ICET_TRUE);
    icetDisable(names[i]);
    CHECK(icetIsEnabled(names[i]) == ICET_FALSE);
    (before ? icetEnable : icetDisable)(names[i]);
    for (size_t j = 0; j < number; ++j) CHECK(others[j] == icetIsEnabled(names[j]));
    CHECK_ERROR(ICET_NO_ERROR);
  }
  icetDiagnostics(ICET_DIAG_OFF);
  icetDisable(ICET_STRATEGY);
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK(icetIsEnabled(ICET_STRATEGY) == ICET_FALSE);
  CHECK_ERROR(ICET_INVALID_VALUE);
  end_context(context);
}

// Settings that are wrong are errors and change nothing.
void test_wrong_settings(void) {
  const IceTContext context = make_context();
  const int p = world_size();
  icetDiagnostics(ICET_DIAG_OFF);
  icetSetColorFormat(ICET_IMAGE_DEPTH_FLOAT);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetSetDepthFormat(ICET_IMAGE_COLOR_NONE);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetCompositeMode(0x0300);
  CHECK_ERROR(ICET_INVALID_ENUM);
  IceTInt value = 0;
  icetGetIntegerv(ICET_COLOR_FORMAT, &value);
  CHECK(value == (IceTInt)ICET_IMAGE_COLOR_RGBA_UBYTE);
  icetGetIntegerv(ICET_DEPTH_FORMAT, &value);
  CHECK(value == (IceTInt)ICET_IMAGE_DEPTH_FLOAT);
  icetGetIntegerv(ICET_COMPOSITE_MODE, &value);
  CHECK(value == (IceTInt)ICET_COMPOSITE_MODE_Z_BUFFER);

  IceTInt* order = allocate((size_t)p * sizeof *order);
  icetCompositeOrder(NULL);
  CHECK_ERROR(ICET_INVALID_VALUE);
  for (int i = 0; i < p; ++i) order[i] = i;
  order[0] = p;
  icetCompositeOrder(order);
  CHECK_ERROR(ICET_INVALID_VALUE);
  order[0] = p > 1 ? 1 : -1;  // twice, or none
  icetCompositeOrder(order);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetGetIntegerv(ICET_COMPOSITE_ORDER, order);
  for (int i = 0; i < p; ++i) CHECK(order[i] == i);
  free(order);
  end_context(context);
}
