// Matrices: points of a scene, drawn with the matrices that the callback gets, land in the picture where
// those of the frame say, whatever tiles, windows and bounding vertices there are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

#define POINTS 24  // of each rank

typedef struct Vector {
  double of[4];
} Vector;

static Vector transform(const IceTDouble* matrix, Vector v) {
  Vector result = {{0}};
  for (size_t row = 0; row < 4; ++row)
    for (size_t column = 0; column < 4; ++column) result.of[row] += matrix[4 * column + row] * v.of[column];
  return result;
}

static double random_number(uint32_t seed) { return scramble(seed) % 100000 / 50000.0 - 1; }

// In the box of -1..1, or round a rank's own place there.
static Vector point_of(int rank, int i) {
  const uint32_t seed = 1000U * (uint32_t)rank + 10U * (uint32_t)i;
  Vector point = {{0, 0, 0, 1}};
  for (uint32_t c = 0; c < 3; ++c) {
    const double place = random_number(7777U * (uint32_t)rank + c);
    point.of[c] = rank % 2 == 1 ? 0.7 * place + 0.3 * random_number(seed + c) : random_number(seed + c);
  }
  return point;
}

// Where a point is seen on a rectangle of pixels {x, y, width, height} that the matrices map -1..1 to. False:
// behind the viewer, outside the depth range, or so near the edge of a pixel that rounding decides.
static bool place_of(Vector point, const IceTDouble* projection, const IceTDouble* modelview,
                     const IceTInt* rectangle, int* pixel, float* depth) {
  const Vector clip = transform(projection, transform(modelview, point));
  if (clip.of[2] < -0.999 * clip.of[3] || clip.of[2] > 0.999 * clip.of[3]) return false;
  for (size_t axis = 0; axis < 2; ++axis) {
    const double place = rectangle[axis] + (clip.of[axis] / clip.of[3] + 1) / 2 * rectangle[2 + axis];
    if (fabs(place - round(place)) < 1e-6) return false;
    pixel[axis] = (int)floor(place);
  }
  *depth = (float)((clip.of[2] / clip.of[3] + 1) / 2);
  return true;
}

static bool is_inside(const int* pixel, const IceTInt* rectangle) {
  return pixel[0] >= rectangle[0] && pixel[0] < rectangle[0] + rectangle[2] && pixel[1] >= rectangle[1] &&
         pixel[1] < rectangle[1] + rectangle[3];
}

// The points of this rank in the window that the matrices are for; all else is far away.
static void draw_points(const IceTDouble* projection, const IceTDouble* modelview,
                        const IceTFloat* background, const IceTInt* readback, IceTImage result) {
  IceTInt value[2];
  icetGetIntegerv(ICET_PHYSICAL_RENDER_WIDTH, &value[0]);
  icetGetIntegerv(ICET_PHYSICAL_RENDER_HEIGHT, &value[1]);
  CHECK(icetImageGetWidth(result) == value[0] && icetImageGetHeight(result) == value[1]);
  const IceTInt window[4] = {0, 0, value[0], value[1]};
  CHECK(readback[0] >= 0 && readback[1] >= 0 && readback[0] + readback[2] <= value[0]);
  CHECK(readback[1] + readback[3] <= value[1]);
  CHECK(background[0] == 0.5F && background[3] == 1);
  float* depths = icetImageGetDepthf(result);
  IceTFloat* colours = icetImageGetColorf(result);
  for (size_t i = 0; i < (size_t)value[0] * (size_t)value[1]; ++i) depths[i] = 1;
  for (int i = 0; i < POINTS; ++i) {
    int pixel[2];
    float depth = 1;
    if (!place_of(point_of(world_rank(), i), projection, modelview, window, pixel, &depth)) continue;
    if (!is_inside(pixel, window)) continue;
    const size_t at = (size_t)pixel[1] * (size_t)value[0] + (size_t)pixel[0];
    // Where nothing is read back something nearer shows that it is not.
    if (!is_inside(pixel, readback)) depth = 0;
    if (depth >= depths[at]) continue;
    depths[at] = depth;
    colours[4 * at] = (float)world_rank();
    colours[4 * at + 1] = (float)i;
    colours[4 * at + 2] = colours[4 * at + 3] = 1;
  }
}

// The scene as seen by the matrices of the frame, on one tile.
static void check_points(IceTImage image, const IceTDouble* projection, const IceTDouble* modelview,
                         const IceTInt* global, const IceTInt* tile) {
  const size_t n = (size_t)tile[2] * (size_t)tile[3];
  float* depths = allocate(n * sizeof *depths);
  int* who = allocate(n * sizeof *who);
  for (size_t i = 0; i < n; ++i) {
    depths[i] = 1;
    who[i] = -1;
  }
  int seen = 0;
  for (int i = 0; i < world_size() * POINTS; ++i) {
    int pixel[2];
    float depth = 1;
    if (!place_of(point_of(i / POINTS, i % POINTS), projection, modelview, global, pixel, &depth)) continue;
    if (!is_inside(pixel, tile)) continue;
    const size_t at = (size_t)((pixel[1] - tile[1]) * tile[2] + pixel[0] - tile[0]);
    if (depth >= depths[at]) continue;
    depths[at] = depth;
    who[at] = i;
    ++seen;
  }
  CHECK(seen > 0 || world_size() > 1);
  const IceTFloat* colours = icetImageGetColorcf(image);
  const IceTFloat* found = icetImageGetDepthcf(image);
  for (size_t i = 0; i < n; ++i) {
    CHECK(fabsf(found[i] - depths[i]) < 1e-5F);
    const int rank = who[i] / POINTS;
    CHECK(colours[4 * i] == (who[i] < 0 ? 0.5F : (float)rank));
    if (who[i] >= 0) CHECK(colours[4 * i + 1] == (float)(who[i] % POINTS));
  }
  free(depths);
  free(who);
}

// Looking at the box from outside; from within it, with points behind; and without perspective.
static void look(int which, IceTDouble* projection, IceTDouble* modelview) {
  const double near = which == 0 ? 1 : 0.05;
  const double far = 8;
  memcpy(projection, identity, sizeof identity);
  memcpy(modelview, identity, sizeof identity);
  if (which == 2) {
    projection[0] = 0.8;
    projection[13] = 0.1;
    projection[10] = -1;
    return;
  }
  projection[0] = 1.5;
  projection[5] = 2;
  projection[10] = -(far + near) / (far - near);
  projection[11] = -1;
  projection[14] = -2 * far * near / (far - near);
  projection[15] = 0;
  const double angle = 0.6;
  modelview[0] = modelview[10] = cos(angle);
  modelview[2] = -sin(angle);
  modelview[8] = sin(angle);
  modelview[12] = 0.1;
  modelview[14] = which == 0 ? -3 : -0.5;
}

static void set_bounds(void) {
  IceTDouble vertices[3 * POINTS];
  for (int i = 0; i < POINTS; ++i)
    for (int c = 0; c < 3; ++c) vertices[3 * i + c] = point_of(world_rank(), i).of[c];
  icetBoundingVertices(3, ICET_DOUBLE, 0, POINTS, vertices);
}

static void check_view(int which, const IceTInt (*tiles)[4], int number) {
  IceTDouble projection[16];
  IceTDouble modelview[16];
  look(which, projection, modelview);
  icetResetTiles();
  for (int i = 0; i < number; ++i)
    CHECK(icetAddTile(tiles[i][0], tiles[i][1], tiles[i][2], tiles[i][3], (i + 1) % world_size()) == i);
  IceTInt global[4];
  icetGetIntegerv(ICET_GLOBAL_VIEWPORT, global);
  const IceTFloat background[] = {0.5F, 0, 0, 1};
  const int mine = (world_rank() + world_size() - 1) % world_size();
  for (int variant = 0; variant < 8; ++variant) {
    if ((variant & 1) != 0) icetPhysicalRenderSize(70, 61);  // larger than any tile
    ((variant & 2) != 0 ? icetEnable : icetDisable)(ICET_FLOATING_VIEWPORT);
    icetBoundingVertices(0, 0, 0, 0, NULL);
    if ((variant & 4) != 0) set_bounds();
    const IceTImage image = icetDrawFrame(projection, modelview, background);
    CHECK_ERROR(ICET_NO_ERROR);
    CHECK(icetImageIsNull(image) == (mine >= number));
    if (mine < number) check_points(image, projection, modelview, global, tiles[mine]);
  }
}

void test_projection(void) {
  const IceTContext context = make_context();
  icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
  icetDrawCallback(draw_points);
  static const IceTInt one[1][4] = {{-7, 5, 47, 31}};
  static const IceTInt four[4][4] = {{0, 0, 40, 30}, {40, 0, 20, 30}, {0, 37, 40, 12}, {45, 31, 9, 20}};
  for (int which = 0; which < 3; ++which) {
    check_view(which, one, 1);
    if (world_size() >= 4) check_view(which, four, 4);
    if (world_size() >= 2) check_view(which, four, 2);
  }
  end_context(context);
}
