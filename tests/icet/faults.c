// One rank's mistake that is found before the ranks agree on a frame, or while they draw it: every rank gets
// an error, soon, that says which rank's it is, and the next frame is right again.
#include <stdio.h>
#include <string.h>

#include "IceTGL.h"
#include "IceTGL3.h"
#include "check.h"
#include "scene.h"
#include "tests.h"

static Scene scene;

static IceTImage draw_by_opengl(void) { return icetGLDrawFrame(); }
static IceTImage draw_by_opengl3(void) { return icetGL3DrawFrame(identity, identity); }
static IceTImage draw_by_opengl_that_is_missing(void) {
  icetGLInitialize();
  CHECK_ERROR(ICET_NO_ERROR);
  return icetGLDrawFrame();
}
static IceTImage draw_by_opengl3_that_is_missing(void) {
  icetGL3Initialize();
  CHECK_ERROR(ICET_NO_ERROR);
  return icetGL3DrawFrame(identity, identity);
}
static IceTImage draw_without_matrix(void) { return icetDrawFrame(identity, NULL, NULL); }

static const struct {
  IceTImage (*draw)(void);
  const char* what;
} mistakes[] = {
    {draw_by_opengl, "icetGLDrawFrame: OpenGL was not added to this context"},
    {draw_by_opengl3, "icetGL3DrawFrame: OpenGL 3 was not added to this context"},
    {draw_by_opengl_that_is_missing, "the program has no OpenGL with gl"},
    {draw_by_opengl3_that_is_missing, "the program has no OpenGL with gl"},
    {draw_without_matrix, "one of the two matrices is NULL"},
};

// The last rank makes a mistake in a frame that the others draw; what this one printed of it.
static const char* refused_frame(IceTImage (*draw)(void)) {
  MPI_Barrier(MPI_COMM_WORLD);
  begin_capture();
  const IceTImage image = is_last_rank() ? draw() : draw_frame(&scene);
  const char* printed = end_capture();
  CHECK(icetImageIsNull(image));
  CHECK(icetGetError() != ICET_NO_ERROR);
  return printed;
}

void test_faults_of_one_rank(void) {
  scene = nearest_scene(8);
  char last[32];
  snprintf(last, sizeof last, "rank %d", world_size() - 1);
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; ++i) {
    const IceTContext context = make_context_of_scene(&scene);
    const char* printed = refused_frame(mistakes[i].draw);
    CHECK_HOLDS(printed, mistakes[i].what);
    if (world_size() > 1) CHECK_HOLDS(printed, last);
    check_frame_of_scene(&scene);
    end_context(context);
  }
}

// Given images: a viewport that is none, and sizes that no buffer has.
static IceTInt given_viewport[4];
static IceTImage give_image(const IceTInt* viewport) {
  IceTUByte colours[4 * 9 * 7];
  IceTFloat depths[9 * 7];
  memset(colours, 7, sizeof colours);
  for (size_t i = 0; i < sizeof depths / sizeof *depths; ++i) depths[i] = 0.5F;
  return icetCompositeImage(colours, depths, viewport, NULL, NULL, NULL);
}

void test_wrong_viewports(void) {
  static const IceTInt wrong[][4] = {{0, 0, -1, 5},
                                     {0, 0, 5, -2147483647 - 1},
                                     {2147483647, 0, -2147483647, 3},
                                     {-2147483647 - 1, -2147483647 - 1, -1, -1}};
  static const IceTInt outside[][4] = {
      {2147483647, 2147483647, 2147483647, 2147483647}, {-2147483647 - 1, 0, 5, 5}, {0, 0, 0, 0}};
  scene = nearest_scene(8);
  const IceTContext context = make_context_of_scene(&scene);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    memcpy(given_viewport, wrong[i], sizeof given_viewport);
    MPI_Barrier(MPI_COMM_WORLD);
    begin_capture();
    const IceTImage image = give_image(is_last_rank() ? given_viewport : NULL);
    CHECK_HOLDS(end_capture(), "the viewport of valid pixels");
    CHECK(icetImageIsNull(image) && icetGetError() != ICET_NO_ERROR);
    check_frame_of_scene(&scene);
  }
  // Outside of the picture nothing is valid; what is larger is cut off.
  for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i) {
    const IceTImage image = give_image(outside[i]);
    CHECK_ERROR(ICET_NO_ERROR);
    if (world_rank() == 0) CHECK(icetImageGetDepthcf(image)[0] == 1);
  }
  const IceTInt large[4] = {0, 0, 2147483647, 2147483647};
  const IceTImage image = give_image(large);
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() == 0) CHECK(icetImageGetDepthcf(image)[9 * 7 - 1] == 0.5F);
  end_context(context);
}

#ifndef __SANITIZE_ADDRESS__  // which needs more addresses than any limit leaves
// No memory for what one rank draws: the others do not wait for it.
void test_no_memory_on_one_rank(void) {
  scene = nearest_scene(8);
  const IceTContext context = make_context_of_scene(&scene);
  check_frame_of_scene(&scene);
  icetDiagnostics(ICET_DIAG_OFF);
  if (is_last_rank()) {
    limit_memory(4096);
    icetPhysicalRenderSize(40000, 40000);
  }
  CHECK(icetImageIsNull(icetDrawFrame(identity, identity, NULL)));
  CHECK(icetGetError() != ICET_NO_ERROR);
  if (is_last_rank()) end_limit();
  icetPhysicalRenderSize(scene_tile[2], scene_tile[3]);
  check_frame_of_scene(&scene);
  end_context(context);
}
#else
void test_no_memory_on_one_rank(void) {}
#endif
