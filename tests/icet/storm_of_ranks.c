// Random mistakes of some ranks: however many make which, a frame is an error on all ranks or on none; what
// is no mistake leaves it right; and the next frame is right again.
#include <stdio.h>
#include <stdlib.h>

#include "IceTGL.h"
#include "check.h"
#include "scene.h"
#include "tests.h"

enum { most_frames = 100, fewest_frames = 30 };  // of each kind
static const double long_enough = 8;             // [s], of a kind

static uint32_t state;  // the same on all ranks
static uint32_t draw_number(uint32_t end) {
  state += 0x9e3779b9U;
  return scramble(state) % end;
}

static const IceTInt tiles[2][4] = {{0, 0, 9, 7}, {9, 0, 6, 7}};
static Scene scene;
static IceTInt* order;
static IceTInt* reversed;
static uint32_t frame;  // what is called instead of icetDrawFrame(), of this rank

enum { draws_frame, gives_image, gives_nothing, draws_by_opengl, sets_colour, has_no_matrix };

static void set_up(void) {
  icetResetTiles();
  for (int i = 0; i < 2; ++i) icetAddTile(tiles[i][0], tiles[i][1], tiles[i][2], tiles[i][3], i);
  icetStrategy(ICET_STRATEGY_REDUCE);
  icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC);
  icetBoundingVertices(0, ICET_VOID, 0, 0, NULL);
  for (IceTEnum name = ICET_FLOATING_VIEWPORT; name <= ICET_COLLECT_IMAGES; ++name)
    (name == ICET_ORDERED_COMPOSITE || name == ICET_CORRECT_COLORED_BACKGROUND ? icetDisable
                                                                               : icetEnable)(name);
  icetDisable(ICET_RENDER_EMPTY_IMAGES);
  const IceTInt alone = world_rank();
  icetDataReplicationGroup(1, &alone);
  set_scene(&scene);
  unsetenv("SORTLAST_ICET");
  frame = draws_frame;
}

// ---- Mistakes, and what is none ----------------------------------------------------------------------

static void other_strategy(void) { icetStrategy(ICET_STRATEGY_DIRECT); }
static void other_single_image(void) { icetSingleImageStrategy(ICET_SINGLE_IMAGE_STRATEGY_RADIXK); }
static void other_tile(void) {
  icetResetTiles();
  icetAddTile(0, 0, 9, 8, 0);
}
static void no_tile(void) { icetResetTiles(); }
static void more_tiles(void) { icetAddTile(0, 9, 3, 3, 2); }
static void other_colours(void) { icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT); }
static void no_colours(void) { icetSetColorFormat(ICET_IMAGE_COLOR_NONE); }
static void other_depth(void) {
  icetSetDepthFormat(scene.depth_format == ICET_IMAGE_DEPTH_NONE ? ICET_IMAGE_DEPTH_FLOAT
                                                                 : ICET_IMAGE_DEPTH_NONE);
}
static void other_mode(void) {
  icetCompositeMode(scene.mode == ICET_COMPOSITE_MODE_BLEND ? ICET_COMPOSITE_MODE_Z_BUFFER
                                                            : ICET_COMPOSITE_MODE_BLEND);
}
static void other_order(void) {
  icetEnable(ICET_ORDERED_COMPOSITE);
  icetCompositeOrder(reversed);
}
static void no_interlacing(void) { icetDisable(ICET_INTERLACE_IMAGES); }
static void no_collection(void) { icetDisable(ICET_COLLECT_IMAGES); }
static void no_callback(void) { icetDrawCallback(NULL); }
static void no_window(void) { icetPhysicalRenderSize(0, 0); }
static void other_group(void) {
  const IceTInt group[2] = {world_rank(), (world_rank() + 1) % world_size()};
  icetDataReplicationGroup(2, group);
}
static void other_algorithm(void) { setenv("SORTLAST_ICET", "shift", 1); }
static void give_image(void) { frame = gives_image; }
static void give_nothing(void) { frame = gives_nothing; }
static void draw_by_opengl(void) { frame = draws_by_opengl; }
static void set_colour(void) { frame = sets_colour; }
static void leave_matrix_out(void) { frame = has_no_matrix; }

static void (*const mistakes[])(void) = {
    other_strategy, other_single_image, other_tile,      no_tile,         more_tiles,     other_colours,
    no_colours,     other_depth,        other_mode,      other_order,     no_interlacing, no_collection,
    no_callback,    no_window,          other_group,     other_algorithm, give_image,     give_nothing,
    draw_by_opengl, set_colour,         leave_matrix_out};
enum { number_of_mistakes = sizeof mistakes / sizeof *mistakes };

static void large_window(void) { icetPhysicalRenderSize(20, 12); }
static void no_floating(void) { icetDisable(ICET_FLOATING_VIEWPORT); }
static void empty_images(void) { icetEnable(ICET_RENDER_EMPTY_IMAGES); }
static void two_buffers(void) { icetDisable(ICET_COMPOSITE_ONE_BUFFER); }
static void no_display(void) { icetDisable(ICET_GL_DISPLAY); }
static void own_bounds(void) { icetBoundingBoxd(-1, 1, -1, 1, -1, 1); }
static void wrong_calls(void) {  // that change nothing
  icetStrategy(77);
  icetAddTile(0, 0, -1, 5, 1);
  icetCompositeOrder(NULL);
  icetEnable(ICET_RANK);
}
static void (*const no_mistakes[])(void) = {large_window, no_floating, empty_images, two_buffers,
                                            no_display,   own_bounds,  wrong_calls};

// ---- Frames ------------------------------------------------------------------------------------------

static IceTImage make_frame(void) {
  static IceTFloat colours[4 * 15 * 9];
  static IceTFloat depths[15 * 9];
  switch (frame) {
    case gives_image:
      return icetCompositeImage(colours, depths, NULL, NULL, NULL, NULL);
    case gives_nothing:
      return icetCompositeImage(NULL, NULL, NULL, identity, NULL, NULL);
    case draws_by_opengl:
      return icetGLDrawFrame();
    case sets_colour:
      icetDataReplicationGroupColor(3);
      return icetImageNull();
    case has_no_matrix:
      return icetDrawFrame(NULL, NULL, scene.background);
    default:
      return draw_frame(&scene);
  }
}

static void check_right(IceTImage result) {
  CHECK_ERROR(ICET_NO_ERROR);
  if (world_rank() < 2) check_tile(&scene, result, tiles[world_rank()]);
}

// The mistakes of the next frame, some of one rank, at random of more; whether there are any.
static bool make_mistakes(void) {
  bool any = false;
  const uint32_t ranks = (uint32_t)world_size();
  for (uint32_t i = 1 + draw_number(3); i > 0; --i) {
    const uint32_t rank = draw_number(ranks);
    const bool is_mistake = draw_number(4) != 0;
    const uint32_t which =
        draw_number(is_mistake ? number_of_mistakes : sizeof no_mistakes / sizeof *no_mistakes);
    any = any || is_mistake;
    if (rank == (uint32_t)world_rank()) (is_mistake ? mistakes : no_mistakes)[which]();
  }
  icetGetError();
  return any;
}

static void check_frame(void) {
  set_up();
  const bool any = make_mistakes();
  MPI_Barrier(MPI_COMM_WORLD);
  const IceTImage result = make_frame();
  if (!any) {
    check_right(result);
  } else {
    // All or none: several mistakes may mend each other, or become the same frame.
    const int failed = icetGetError() == ICET_NO_ERROR ? 0 : 1;
    int sum = 0;
    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 0 || sum == world_size());
    if (failed) CHECK(icetImageIsNull(result));
  }
  set_up();
  check_right(draw_frame(&scene));
}

// A rank that does not draw: an error on all others; and on all, until there is a new context.
static void check_left_out_frame(void) {
  const int missing = (int)draw_number((uint32_t)world_size());
  setenv("SORTLAST_ICET_TIMEOUT", "5", 1);
  const IceTContext context = make_context();
  icetDiagnostics(ICET_DIAG_OFF);
  set_up();
  check_right(draw_frame(&scene));
  for (int i = 0; i < 2; ++i) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == 0 && missing == world_rank()) continue;
    CHECK(icetImageIsNull(draw_frame(&scene)));
    CHECK(icetGetError() != ICET_NO_ERROR);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  unsetenv("SORTLAST_ICET_TIMEOUT");
  end_context(context);
}

void test_storm_of_ranks(void) {
  const int p = world_size();
  if (p < 3) return;
  order = allocate((size_t)p * sizeof *order);
  reversed = allocate((size_t)p * sizeof *reversed);
  state = 77;
  for (int kind = 0; kind < 2; ++kind) {
    random_order(4, order);
    for (int i = 0; i < p; ++i) reversed[p - 1 - i] = order[i];
    scene = kind == 0 ? nearest_scene(9) : blended_scene(9, order);
    IceTContext context = make_context();
    icetDiagnostics(ICET_DIAG_OFF);
    const double begin = icetWallTime();
    int goes_on = 1;
    for (int i = 0; i < most_frames && goes_on; ++i) {
      check_frame();
      goes_on = i < fewest_frames || icetWallTime() - begin < long_enough;
      MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (i % 50 != 25) continue;
      check_left_out_frame();
      icetSetContext(context);
    }
    end_context(context);
  }
  free(order);
  free(reversed);
}
