// What the environment sets: the algorithm, the limit of waiting, the numbers of radix-k, and what is
// printed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scene.h"
#include "tests.h"

static const IceTInt tile[4] = {0, 0, 12, 9};

// A right frame, with times printed; what this rank printed.
static const char* print_frame(void) {
  const Scene scene = nearest_scene(6);
  set_scene(&scene);
  setenv("SORTLAST_ICET_TIMING", "1", 1);
  begin_capture();
  const IceTImage image = draw_frame(&scene);
  const char* printed = end_capture();
  unsetenv("SORTLAST_ICET_TIMING");
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) check_tile(&scene, image, tile);
  return printed;
}

// That rank 0 prints a line of the frame with this algorithm, and the others nothing.
static void check_algorithm(const char* name) {
  const char* printed = print_frame();
  if (world_rank() != 0) {
    CHECK(strlen(printed) == 0);
    return;
  }
  char expected[64];
  snprintf(expected, sizeof expected, ", 1 tile(s), %s: ", name);
  CHECK_HOLDS(printed, expected);
  IceTInt frame = 0;
  icetGetIntegerv(ICET_FRAME_COUNT, &frame);
  char begin[64];
  snprintf(begin, sizeof begin, "sortlast: frame %d, 1 tile(s), ", frame);
  CHECK(strncmp(printed, begin, strlen(begin)) == 0);
  double total = 0;
  static const char* const words[] = {": ",        "drawing ",    "compositing ",
                                      "blending ", "collecting ", "waiting for other ranks "};
  for (int i = 0; i < 6; ++i) {
    const char* word = strstr(strstr(printed, expected), words[i]);
    CHECK(word != NULL);
    char* end = NULL;
    const double time = strtod(word + strlen(words[i]), &end);
    if (i == 0) total = time;
    CHECK(end != word + strlen(words[i]) && time >= 0 && time <= total);
  }
}

void test_algorithm_of_environment(void) {
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
  icetStrategy(ICET_STRATEGY_DIRECT);
  CHECK(strlen(print_frame()) > 0 || world_rank() != 0);
  check_algorithm("direct-send");
  icetStrategy(ICET_STRATEGY_REDUCE);
  icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_BSWAP_FOLDING);
  check_algorithm("binary-swap:fold");
  char one_round[32];
  snprintf(one_round, sizeof one_round, "radix-k:%d", world_size());
  static const char* const names[] = {"shift", "direct-send", "tree"};
  for (size_t i = 0; i < 3; ++i) {
    setenv("SORTLAST_ICET", names[i], 1);
    check_algorithm(names[i]);
  }
  if (world_size() > 1) {
    setenv("SORTLAST_ICET", one_round, 1);
    check_algorithm(one_round);
  }
  setenv("SORTLAST_ICET", "auto", 1);
  CHECK(strlen(print_frame()) > 0 || world_rank() != 0);
  setenv("SORTLAST_ICET", "", 1);  // as if it were not there
  check_algorithm("binary-swap:fold");

  // No algorithm: all ranks are told, and the next frame is right.
  const Scene scene = nearest_scene(6);
  setenv("SORTLAST_ICET", "no-such", 1);
  begin_capture();
  CHECK(icetImageIsNull(draw_frame(&scene)));
  CHECK_HOLDS(end_capture(), "no-such");
  CHECK_ERROR(ICET_INVALID_OPERATION);
  if (world_size() > 1) {
    setenv("SORTLAST_ICET", is_last_rank() ? "shift" : "direct-send", 1);
    begin_capture();
    CHECK(icetImageIsNull(draw_frame(&scene)));
    CHECK_HOLDS(end_capture(), "algorithm: direct-send on");
    CHECK_ERROR(ICET_INVALID_VALUE);
  }
  unsetenv("SORTLAST_ICET");
  check_algorithm("binary-swap:fold");
  end_context(context);
}

// Rounds of as many ranks as ICET_MAGIC_K says, where it divides their number.
void test_radix_of_environment(void) {
  const IceTContext context = make_context();
  icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
  IceTInt value = 0;
  icetGetIntegerv(ICET_MAGIC_K, &value);
  CHECK(value == ICET_MAGIC_K_DEFAULT);
  setenv("ICET_MAGIC_K", "2", 1);
  icetGetIntegerv(ICET_MAGIC_K, &value);
  CHECK(value == 2);
  setenv("ICET_MAX_IMAGE_SPLIT", "16", 1);
  icetGetIntegerv(ICET_MAX_IMAGE_SPLIT, &value);
  CHECK(value == 16);
  static const IceTEnum strategies[] = {ICET_SINGLE_IMAGE_STRATEGY_RADIXK,
                                        ICET_SINGLE_IMAGE_STRATEGY_RADIXKR};
  for (int i = 0; i < 2; ++i) {
    icetSingleImageStrategy(strategies[i]);
    if (world_size() == 2) check_algorithm("radix-k:2");
    if (world_size() == 4) check_algorithm("radix-k:2,2");
    if (world_size() == 8) check_algorithm("radix-k:2,2,2");
    if (world_size() == 5) CHECK(strlen(print_frame()) > 0 || world_rank() != 0);
  }

  static const char* const wrong[] = {"1", "-8", "four", "", "8x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    setenv("ICET_MAGIC_K", wrong[i], 1);
    begin_capture();
    icetGetIntegerv(ICET_MAGIC_K, &value);
    CHECK_HOLDS(end_capture(), "ICET_MAGIC_K=");
    CHECK_ERROR(ICET_INVALID_VALUE);
    CHECK(value == ICET_MAGIC_K_DEFAULT);
  }
  unsetenv("ICET_MAGIC_K");
  setenv("ICET_MAX_IMAGE_SPLIT", "0", 1);
  begin_capture();
  icetGetIntegerv(ICET_MAX_IMAGE_SPLIT, &value);
  CHECK_HOLDS(end_capture(), "ICET_MAX_IMAGE_SPLIT=0");
  CHECK_ERROR(ICET_INVALID_VALUE);
  CHECK(value == ICET_MAX_IMAGE_SPLIT_DEFAULT);
  unsetenv("ICET_MAX_IMAGE_SPLIT");
  end_context(context);
}

// A limit that is none is a warning, and the frame is drawn.
void test_wrong_timeout(void) {
  static const char* const wrong[] = {"soon", "-1", "0", "3s"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    const IceTContext context = make_context();
    icetAddTile(tile[0], tile[1], tile[2], tile[3], 0);
    const Scene scene = nearest_scene(6);
    set_scene(&scene);
    setenv("SORTLAST_ICET_TIMEOUT", wrong[i], 1);
    begin_capture();
    const IceTImage image = draw_frame(&scene);
    CHECK_HOLDS(end_capture(), ":WARNING: SORTLAST_ICET_TIMEOUT=");
    CHECK_ERROR(ICET_INVALID_VALUE);
    unsetenv("SORTLAST_ICET_TIMEOUT");
    if (world_rank() == 0) check_tile(&scene, image, tile);
    end_context(context);
  }
}
