// What a compositor tells of its frames, frames in the caller's memory, closing, and interrupts.
#include <string.h>

#include "mpi/tests.h"

enum { WIDTH = 16, HEIGHT = 8, N = WIDTH * HEIGHT };

static void check_told(sortlast_compositor* compositor, const sortlast_image* image) {
  CHECK_HOLDS(sortlast_compositor_explain(compositor), "Nothing has been composited yet");
  sortlast_status status = sortlast_compositor_trace(compositor, true);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_tile* tile = NULL;
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_OK);
  CHECK_HOLDS(sortlast_compositor_explain(compositor), "composited 128 pixels");
  CHECK_HOLDS(sortlast_compositor_explain(compositor), sortlast_compositor_algorithm(compositor));

  const sortlast_event* events = NULL;
  int64_t count = 0;
  status = sortlast_compositor_events(compositor, &events, &count);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  CHECK(events != NULL && count > 0 && events[0].activity == SORTLAST_ACTIVITY_AGREE);
  for (int64_t i = 0; i < count; ++i) CHECK(events[i].begin <= events[i].end && events[i].bytes >= 0);
  CHECK(sortlast_compositor_clear_events(compositor) == SORTLAST_OK);
  CHECK(sortlast_compositor_events(compositor, &events, &count) == SORTLAST_OK && count == 0);
  CHECK(sortlast_compositor_trace(compositor, false) == SORTLAST_OK);
  sortlast_tile_free(tile);
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_OK);
  CHECK(sortlast_compositor_events(compositor, &events, &count) == SORTLAST_OK && count == 0);
  sortlast_tile_free(tile);

  CHECK(sortlast_compositor_events(compositor, NULL, &count) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "place for the events");
  CHECK(sortlast_compositor_timing(compositor, NULL) == SORTLAST_ERROR_ARGUMENT);
  sortlast_timing timing = {0};
  CHECK(sortlast_compositor_timing(compositor, &timing) == SORTLAST_ERROR_ARGUMENT);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "begin with SORTLAST_TIMING_INIT");

  // A later version's structure: what this one does not know is zero.
  struct {
    sortlast_timing known;
    double later;
  } larger = {SORTLAST_TIMING_INIT, 7};
  larger.known.size = sizeof larger;
  CHECK(sortlast_compositor_timing(compositor, &larger.known) == SORTLAST_OK);
  CHECK(larger.known.size == sizeof larger && larger.known.total > 0 && larger.later == 0);
}

static void check_gather_into(sortlast_compositor* compositor, const sortlast_image* image) {
  const int root = world_size() - 1;
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_OK);
  sortlast_status status = sortlast_compositor_gather(compositor, tile, root, true, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));

  // The same pixels, at the root alone.
  float colour[4 * N];
  float depth[N];
  memset(colour, 1, sizeof colour);
  memset(depth, 1, sizeof depth);
  const float untouched = colour[0];
  const sortlast_pixels out = {colour, depth};
  status = sortlast_compositor_gather_into(compositor, tile, root, true, out);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  if (frame != NULL) {
    const sortlast_image whole = sortlast_frame_image(frame);
    CHECK(memcmp(colour, whole.colour, sizeof colour) == 0 && memcmp(depth, whole.depth, sizeof depth) == 0);
  } else {
    CHECK(colour[0] == untouched && depth[0] == untouched);
  }
  sortlast_frame_free(frame);

  // What is missing at the root is told to all; elsewhere nothing need be there.
  const sortlast_pixels none = {NULL, NULL};
  const sortlast_pixels no_depth = {colour, NULL};
  const sortlast_status wrong = world_size() == 1 ? SORTLAST_ERROR_ARGUMENT : SORTLAST_ERROR_MISMATCH;
  status = sortlast_compositor_gather_into(compositor, tile, root, true, none);
  CHECK_STATUS(wrong, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "the place for the frame's colour is NULL");
  status = sortlast_compositor_gather_into(compositor, tile, root, true, no_depth);
  CHECK_STATUS(wrong, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "the place for the frame's depth is NULL");
  const sortlast_tile* const here = world_rank() == 0 ? NULL : tile;
  status = sortlast_compositor_gather_into(compositor, here, root, false, no_depth);
  CHECK_STATUS(wrong, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), "the tile is NULL");
  status = sortlast_compositor_gather_into(compositor, tile, root, false, is_last_rank() ? no_depth : none);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_tile_free(tile);
}

static void check_closing(sortlast_compositor* compositor, const sortlast_image* image) {
  sortlast_tile* tile = NULL;
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_OK);
  const sortlast_status status = sortlast_compositor_close(compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));

  // The tile stays; the compositor says what it is.
  const sortlast_tile_pixels pixels = sortlast_tile_get(tile);
  CHECK(pixels.range.begin == pixels.range.end || pixels.colour != NULL);
  sortlast_tile_free(tile);
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_ERROR_USAGE);
  CHECK_HOLDS(sortlast_compositor_message(compositor), "is closed");
  CHECK(tile == NULL);
  CHECK(sortlast_compositor_close(compositor) == SORTLAST_ERROR_USAGE);
  CHECK(sortlast_compositor_close(NULL) == SORTLAST_ERROR_ARGUMENT);
}

typedef struct Interrupt {
  bool now;
  int calls;
} Interrupt;

static int end_if_asked(void* user) {
  Interrupt* interrupt = user;
  ++interrupt->calls;
  return interrupt->now ? 5 : 0;
}

// Ranks that wait for one which does not come, until their own callbacks end that.
static void check_interrupt(const sortlast_image* image) {
  if (world_size() == 1) return;
  Interrupt interrupt = {false, 0};
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.interrupt = end_if_asked;
  options.user = &interrupt;
  sortlast_compositor* compositor = NULL;
  const sortlast_status made = sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor);
  CHECK_STATUS(SORTLAST_OK, made, sortlast_compositor_message(compositor));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!is_last_rank()) {
    interrupt = (Interrupt){true, 0};
    const double begin = MPI_Wtime();
    sortlast_tile* tile = NULL;
    const sortlast_status status = sortlast_compositor_composite(compositor, image, NULL, &tile);
    // The first whose callback is asked tells the others.
    if (interrupt.calls > 0)
      CHECK_STATUS(SORTLAST_ERROR_INTERRUPT, status, sortlast_compositor_message(compositor));
    else
      CHECK_STATUS(SORTLAST_ERROR_REMOTE, status, sortlast_compositor_message(compositor));
    CHECK_HOLDS(sortlast_compositor_message(compositor), "it returned 5");
    CHECK(tile == NULL && interrupt.calls <= 1 && MPI_Wtime() - begin < 5);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  sortlast_compositor_free(compositor);
}

void test_observation(void) {
  const sortlast_format format = {SORTLAST_FLOAT32, 4, true};
  const sortlast_image image = make_image(world_rank(), WIDTH, HEIGHT, format);
  sortlast_compositor* compositor = NULL;
  const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  check_told(compositor, &image);
  check_gather_into(compositor, &image);
  check_closing(compositor, &image);
  sortlast_compositor_free(compositor);
  check_interrupt(&image);
  free_image(image);

  CHECK(strcmp(sortlast_compositor_explain(NULL), "") == 0);
  CHECK(sortlast_compositor_trace(NULL, true) == SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_compositor_clear_events(NULL) == SORTLAST_ERROR_ARGUMENT);
}
