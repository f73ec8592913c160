// Bounding vertices: their types, and what of the picture they leave to draw.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

// Check that the vertices are these, of which the interface keeps three coordinates.
static void check_vertices(int count, const double* expected) {
  CHECK_ERROR(ICET_NO_ERROR);
  IceTInt number = -1;
  icetGetIntegerv(ICET_NUM_BOUNDING_VERTS, &number);
  CHECK(number == count);
  IceTDouble found[64];
  icetGetDoublev(ICET_GEOMETRY_BOUNDS, found);
  for (int i = 0; i < 3 * count; ++i) CHECK(found[i] == expected[i]);
}

#define CHECK_TYPE(Type, name)                                       \
  do {                                                               \
    const Type close[] = {1, 2, 3, -4, 5, 6};                        \
    icetBoundingVertices(3, (name), 0, 2, close);                    \
    check_vertices(2, (const double[]){1, 2, 3, -4, 5, 6});          \
    icetBoundingVertices(3, (name), 3 * sizeof(Type), 2, close);     \
    check_vertices(2, (const double[]){1, 2, 3, -4, 5, 6});          \
    icetBoundingVertices(2, (name), 0, 3, close);                    \
    check_vertices(3, (const double[]){1, 2, 0, 3, -4, 0, 5, 6, 0}); \
    icetBoundingVertices(1, (name), 2 * sizeof(Type), 3, close);     \
    check_vertices(3, (const double[]){1, 0, 0, 3, 0, 0, 5, 0, 0});  \
    const Type homogeneous[] = {2, 4, 6, 2, 1, 1, 1, 1};             \
    icetBoundingVertices(4, (name), 0, 2, homogeneous);              \
    check_vertices(2, (const double[]){1, 2, 3, 1, 1, 1});           \
  } while (false)

// Vertices among other values, at an address that is no multiple of their size.
static void check_stride(void) {
  char memory[100];
  const IceTFloat points[2][3] = {{0.5F, 0.25F, -1}, {7, 8, 9}};
  memcpy(&memory[3], points[0], sizeof points[0]);
  memcpy(&memory[3 + 29], points[1], sizeof points[1]);
  icetBoundingVertices(3, ICET_FLOAT, 29, 2, &memory[3]);
  check_vertices(2, (const double[]){0.5, 0.25, -1, 7, 8, 9});
}

void test_bounding_vertices(void) {
  const IceTContext context = make_context();
  CHECK_TYPE(IceTShort, ICET_SHORT);
  CHECK_TYPE(IceTInt, ICET_INT);
  CHECK_TYPE(IceTFloat, ICET_FLOAT);
  CHECK_TYPE(IceTDouble, ICET_DOUBLE);
  check_stride();
  static const double box[] = {0, 2, 4, 0, 2, 5, 0, 3, 4, 0, 3, 5, 1, 2, 4, 1, 2, 5, 1, 3, 4, 1, 3, 5};
  icetBoundingBoxd(0, 1, 2, 3, 4, 5);
  check_vertices(8, box);
  icetBoundingBoxf(0, 1, 2, 3, 4, 5);
  check_vertices(8, box);

  icetDiagnostics(ICET_DIAG_OFF);
  icetBoundingVertices(0, ICET_FLOAT, 0, 1, box);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetBoundingVertices(5, ICET_FLOAT, 0, 1, box);
  CHECK_ERROR(ICET_INVALID_VALUE);
  icetBoundingVertices(3, ICET_BYTE, 0, 1, box);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetBoundingVertices(3, ICET_DOUBLE, 0, 1, NULL);
  CHECK_ERROR(ICET_INVALID_VALUE);
  check_vertices(8, box);
  icetBoundingVertices(0, 0, 0, 0, NULL);
  check_vertices(0, NULL);
  end_context(context);
}

// Draw with one tile; where this rank draws then, and whether its callback was called.
static void check_contained(const IceTDouble* projection, const IceTInt* expected) {
  Scene scene = nearest_scene(1);
  set_scene(&scene);
  icetDrawFrame(projection, identity, scene.background);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTInt found[4];
  icetGetIntegerv(ICET_CONTAINED_VIEWPORT, found);
  const bool draws = expected != NULL;
  CHECK(calls_of_draw_scene == (draws ? 1 : 0));
  if (draws) {
    for (int i = 0; i < 4; ++i) CHECK(found[i] == expected[i]);
  } else {
    CHECK(found[2] < 1 || found[3] < 1);
  }
  IceTInt tiles = -1;
  icetGetIntegerv(ICET_NUM_CONTAINED_TILES, &tiles);
  CHECK(tiles == (draws ? 1 : 0));
}

static const IceTInt whole[4] = {0, 0, 100, 50};

static void check_depths(double near, double far) {
  IceTDouble found[2] = {9, 9};
  icetGetDoublev(ICET_NEAR_DEPTH, &found[0]);
  icetGetDoublev(ICET_FAR_DEPTH, &found[1]);
  CHECK(fabs(found[0] - near) < 1e-12 && fabs(found[1] - far) < 1e-12);
}

void test_bounds_without_perspective(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, 100, 50, 0);
  check_contained(identity, whole);
  icetBoundingBoxd(-0.5, 0.25, -0.2, 0.2, 0, 0.5);
  check_contained(identity, (const IceTInt[]){25, 20, 38, 10});  // 25..62.5, 20..30
  check_depths(0, 0.5);
  icetBoundingBoxd(-7, 0, 0, 7, -7, 7);
  check_contained(identity, (const IceTInt[]){0, 25, 50, 25});
  check_depths(-1, 1);
  // Beside, below, in front and behind all that is seen.
  static const double unseen[4][6] = {
      {1.5, 2, -1, 1, -1, 1}, {-1, 1, -3, -1.1, -1, 1}, {-1, 1, -1, 1, -3, -1.5}, {-1, 1, -1, 1, 1.5, 3}};
  for (int i = 0; i < 4; ++i) {
    const double* box = unseen[i];
    icetBoundingBoxd(box[0], box[1], box[2], box[3], box[4], box[5]);
    check_contained(identity, NULL);
  }
  // The ways in which programs say that there is nothing.
  const IceTFloat far_float = 1e38F;
  icetBoundingVertices(1, ICET_FLOAT, 0, 1, &far_float);
  check_contained(identity, NULL);
  const IceTDouble far_double = 1e300;
  icetBoundingVertices(1, ICET_DOUBLE, 0, 1, &far_double);
  check_contained(identity, NULL);
  // A rectangle without thickness is drawn; numbers that are none could be anywhere.
  icetBoundingBoxd(-0.5, 0.5, -0.5, 0.5, 0, 0);
  check_contained(identity, (const IceTInt[]){25, 12, 50, 26});
  const IceTDouble none[3] = {NAN, 0, 0};
  icetBoundingVertices(3, ICET_DOUBLE, 0, 1, none);
  check_contained(identity, whole);
  end_context(context);
}

// Strips of 10 rows each, one above the other, told in pixels by a projection whose numbers are rounded.
void test_bounds_at_edges(void) {
  const IceTContext context = make_context();
  for (int strips = 1; strips <= 60; ++strips) {
    icetResetTiles();
    icetAddTile(0, 0, 10, 10 * strips, 0);
    const IceTDouble in_pixels[16] = {2.0 / 10, 0,  0,  0, 0, 2.0 / (10 * strips), 0, 0, 0, 0, 1,
                                      0,        -1, -1, 0, 1};
    for (int k = 0; k < strips; ++k) {
      icetBoundingBoxd(0, 10, 10 * k, 10 * (k + 1), 0, 0.5);
      check_contained(in_pixels, (const IceTInt[]){0, 10 * k, 10, 10});
    }
  }
  end_context(context);
}

// The viewer stands at 0 and looks along -z: |x| < -z/2, |y| < -z, from 1 to 9 away.
static const IceTDouble perspective[16] = {2, 0, 0, 0, 0, 1, 0, 0, 0, 0, -10.0 / 8, -1, 0, 0, -18.0 / 8, 0};

void test_bounds_in_perspective(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, 100, 50, 0);
  icetBoundingBoxd(-1, 1, -1, 1, -8, -4);
  check_contained(perspective, (const IceTInt[]){25, 18, 50, 14});  // the near side: 25..75, 18.75..31.25
  icetBoundingBoxd(-1, 1, -1, 1, 2, 4);                             // behind the viewer
  check_contained(perspective, NULL);
  icetBoundingBoxd(-1, 1, -1, 1, -0.5, 4);  // between the viewer and what is seen, and behind
  check_contained(perspective, NULL);
  icetBoundingBoxd(-9, 9, -9, 9, -9, 9);  // round the viewer
  check_contained(perspective, whole);
  // From behind the viewer to far in front, narrow: at the near plane it is widest, 1 away, 30..70
  // and 20..30.
  icetBoundingBoxd(-0.2, 0.2, -0.2, 0.2, -5, 5);
  check_contained(perspective, (const IceTInt[]){30, 20, 40, 10});
  // A triangle of which one corner is behind: a part of it is cut off, not turned round.
  const IceTDouble triangle[9] = {0, 0, -3, 0.3, 0, -3, 40, 0, 20};
  icetBoundingVertices(3, ICET_DOUBLE, 0, 3, triangle);
  Scene scene = nearest_scene(1);
  set_scene(&scene);
  icetDrawFrame(perspective, identity, scene.background);
  IceTInt found[4];
  icetGetIntegerv(ICET_CONTAINED_VIEWPORT, found);
  CHECK(found[0] == 50 && found[2] == 50);
  CHECK(found[1] == 24 && found[3] == 2);  // it has no height, and lies between two rows
  end_context(context);
}
