// Every strategy with every single-image strategy gives the same picture; their names.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const struct {
  IceTEnum strategy;
  const char* name;
  bool ordered;  // as IceT has it
} strategies[] = {{ICET_STRATEGY_DIRECT, "Direct", true},
                  {ICET_STRATEGY_SEQUENTIAL, "Sequential", true},
                  {ICET_STRATEGY_SPLIT, "Split", false},
                  {ICET_STRATEGY_REDUCE, "Reduce", true},
                  {ICET_STRATEGY_VTREE, "Virtual Tree", false}};

static const struct {
  IceTEnum strategy;
  const char* name;
} single_image[] = {{ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC, "Automatic"},
                    {ICET_SINGLE_IMAGE_STRATEGY_BSWAP, "Binary Swap"},
                    {ICET_SINGLE_IMAGE_STRATEGY_TREE, "Binary Tree"},
                    {ICET_SINGLE_IMAGE_STRATEGY_RADIXK, "Radix-k"},
                    {ICET_SINGLE_IMAGE_STRATEGY_RADIXKR, "Radix-kr"},
                    {ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING, "Folded Binary Swap"}};

static const IceTInt tile[4] = {0, 0, 37, 23};

static void check_scene(const Scene* scene) {
  set_scene(scene);
  const IceTImage image = draw_frame(scene);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(icetImageIsNull(image) == (world_rank() != 0));
  if (world_rank() == 0) check_tile(scene, image, tile);
}

static void check_pair(size_t s, size_t i) {
  icetStrategy(strategies[s].strategy);
  icetSingleImageStrategy(single_image[i].strategy);
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(strcmp(icetGetStrategyName(), strategies[s].name) == 0);
  CHECK(strcmp(icetGetSingleImageStrategyName(), single_image[i].name) == 0);
  IceTBoolean ordered = 2;
  icetGetBooleanv(ICET_STRATEGY_SUPPORTS_ORDERING, &ordered);
  CHECK(ordered == strategies[s].ordered);

  const uint32_t seed = (uint32_t)(10 * s + i);
  Scene scene = nearest_scene(seed);
  check_scene(&scene);
  scene.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  check_scene(&scene);
  IceTInt* order = allocate((size_t)world_size() * sizeof *order);
  random_order(seed, order);
  scene = blended_scene(seed, order);
  scene.disjoint = !strategies[s].ordered;
  check_scene(&scene);
  scene.colour_format = ICET_IMAGE_COLOR_RGBA_FLOAT;
  check_scene(&scene);
  free(order);
}

void test_strategies(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, tile[2], tile[3], 0);
  CHECK(strcmp(icetGetSingleImageStrategyName(), "Automatic") == 0);
  for (size_t s = 0; s < sizeof strategies / sizeof *strategies; ++s)
    for (size_t i = 0; i < sizeof single_image / sizeof *single_image; ++i) check_pair(s, i);

  // What is no strategy changes nothing.
  icetDiagnostics(ICET_DIAG_OFF);
  icetStrategy(ICET_STRATEGY_DIRECT);
  icetStrategy(0x6006);
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetStrategy(ICET_STRATEGY_UNDEFINED);
  CHECK_ERROR(ICET_INVALID_ENUM);
  CHECK(strcmp(icetGetStrategyName(), "Direct") == 0);
  icetSingleImageStrategy(ICET_STRATEGY_DIRECT);
  CHECK_ERROR(ICET_INVALID_ENUM);
  CHECK(strcmp(icetGetSingleImageStrategyName(), "Folded Binary Swap") == 0);
  end_context(context);
}

void test_no_strategy(void) {
  IceTCommunicator comm = icetCreateMPICommunicator(MPI_COMM_WORLD);
  const IceTContext context = icetCreateContext(comm);
  icetDestroyMPICommunicator(comm);
  icetDiagnostics(ICET_DIAG_OFF);
  CHECK(icetGetStrategyName() == NULL);
  CHECK_ERROR(ICET_INVALID_ENUM);
  IceTBoolean ordered = ICET_TRUE;
  icetGetBooleanv(ICET_STRATEGY_SUPPORTS_ORDERING, &ordered);
  CHECK(ordered == ICET_FALSE);
  end_context(context);
}
