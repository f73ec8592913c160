// What ranks must have in common although each sets it by itself: backgrounds, data replication groups, and
// values of any length. A difference is an error on every rank, which says what differs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static void check_frame(const Scene* scene, IceTImage image) {
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(scene, image, scene_tile);
}

// A frame for which every rank gets an error that holds `what`.
static void check_refused(IceTImage (*draw)(void), const char* what) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin_capture();
  const IceTImage image = draw();
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image));
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK_HOLDS(printed, ":ERROR: ");
  CHECK_HOLDS(printed, what);
}

static const IceTFloat white[4] = {1, 1, 1, 1};
static const IceTFloat nearly_white[4] = {1, 1, 1, 0.99999994F};
static IceTImage draw_over_white(void) {
  return icetDrawFrame(identity, identity, is_last_rank() ? nearly_white : white);
}
static IceTImage give_over_white(void) {
  IceTFloat colours[4 * 9 * 7] = {0};
  IceTFloat depths[9 * 7] = {0};
  return icetCompositeImage(colours, depths, NULL, NULL, NULL, is_last_rank() ? nearly_white : white);
}

// Each rank fills the part of the picture that it finishes, so that different backgrounds would be mixed.
// Where none is filled in they do not matter.
void test_differing_backgrounds(void) {
  if (world_size() < 2) return;
  Scene scene = nearest_scene(12);
  IceTContext context = make_context_of_scene(&scene);
  check_refused(draw_over_white, "background: 1,1,1,1 on rank");
  icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
  check_refused(give_over_white, "background: 1,1,1,1 on rank");
  set_scene(&scene);
  check_frame(&scene, draw_frame(&scene));
  const IceTFloat minus_zero[4] = {-0.0F, 0, -0.0F, 0};
  check_frame(&scene, icetDrawFrame(identity, identity, is_last_rank() ? minus_zero : scene.background));
  check_frame(&scene, icetDrawFrame(identity, identity, is_last_rank() ? NULL : scene.background));
  end_context(context);

  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  random_order(3, order);
  scene = blended_scene(12, order);
  context = make_context_of_scene(&scene);
  check_frame(&scene, draw_over_white());
  icetEnable(ICET_CORRECT_COLORED_BACKGROUND);
  check_refused(draw_over_white, "background: 1,1,1,1 on rank");
  icetDisable(ICET_CORRECT_COLORED_BACKGROUND);
  check_frame(&scene, draw_over_white());
  end_context(context);
  free(order);
}

static IceTImage draw_black(void) { return icetDrawFrame(identity, identity, NULL); }

// Groups of which not all ranks know alike would leave parts of the data undrawn, or draw them twice.
void test_differing_groups(void) {
  const int p = world_size();
  if (p < 2) return;
  Scene scene = nearest_scene(13);
  const IceTContext context = make_context_of_scene(&scene);
  check_frame(&scene, draw_black());
  IceTInt* all = allocate((size_t)p * sizeof *all);
  for (int i = 0; i < p; ++i) all[i] = i;

  // One rank says that all have the same data, the others that each has its own; then the other way round.
  if (is_last_rank()) icetDataReplicationGroup(p, all);
  char text[64];
  snprintf(text, sizeof text, "on rank %d: the data replication group is 0,1", p - 1);
  check_refused(draw_black, text);
  check_refused(draw_black, text);  // and again, until it is mended
  if (is_last_rank()) icetDataReplicationGroup(1, &all[p - 1]);
  check_frame(&scene, draw_black());
  icetDataReplicationGroupColor(7);
  const IceTInt alone = world_rank();
  if (is_last_rank()) icetDataReplicationGroup(1, &alone);
  check_refused(draw_black, "the data replication group is 0,1");

  // By list in any order, set on all ranks or on those of one group alone.
  int* data = calloc((size_t)p, sizeof *data);
  scene.data = data;
  set_scene(&scene);
  for (int i = 0; i < p; ++i) all[i] = p - 1 - i;
  icetDataReplicationGroup(p, all);
  check_frame(&scene, draw_black());
  check_frame(&scene, draw_black());
  for (int i = 0; i < p; ++i) data[i] = i;
  set_scene(&scene);
  icetDataReplicationGroup(1, &alone);
  check_frame(&scene, draw_black());
  const IceTInt first[2] = {0, 1};
  data[1] = 0;
  set_scene(&scene);
  if (world_rank() < 2) icetDataReplicationGroup(2, first);
  check_frame(&scene, draw_black());
  free(data);
  free(all);
  end_context(context);
}

// A collective call that is not the others'.
static IceTImage colour_or_draw(void) {
  if (!is_last_rank()) return draw_black();
  icetDataReplicationGroupColor(1);
  return icetImageNull();
}

void test_differing_collectives(void) {
  if (world_size() < 2) return;
  const Scene scene = nearest_scene(14);
  const IceTContext context = make_context_of_scene(&scene);
  check_refused(colour_or_draw, "call: frame on rank");
  IceTInt size = 0;
  icetGetIntegerv(ICET_DATA_REPLICATION_GROUP_SIZE, &size);
  CHECK(size == 1);
  check_frame(&scene, draw_black());
  end_context(context);
}

// Values that differ behind their first thousand characters.
void test_long_differences(void) {
  if (world_size() < 2) return;
  const Scene scene = nearest_scene(15);
  const IceTContext context = make_context_of_scene(&scene);
  char name[4001];
  memset(name, 'a', sizeof name);
  name[4000] = '\0';
  if (is_last_rank()) name[3999] = 'b';
  setenv("SORTLAST_ICET", name, 1);
  check_refused(draw_black, "algorithm: alike before character 3959, aaaa");
  check_refused(draw_black, "ab on rank");
  unsetenv("SORTLAST_ICET");
  check_frame(&scene, draw_black());
  end_context(context);
}
