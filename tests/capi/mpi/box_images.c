// Several images a rank, each of a box of the frame: those of all ranks front to back, one column of pixels
// further each, against the blending of each pixel.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mpi/tests.h"

enum { FRAME_WIDTH = 40, FRAME_HEIGHT = 9, BOX_WIDTH = 7, BOX_HEIGHT = 4, EACH = 3 };

static const sortlast_format rgba = {SORTLAST_FLOAT32, 4, false};

// Premultiplied: what the image at a position has in all of its pixels.
static void fill(float* colours, int position) {
  for (size_t i = 0; i < (size_t)BOX_WIDTH * BOX_HEIGHT; ++i) {
    for (size_t c = 0; c < 4; ++c) colours[4 * i + c] = c == 3 ? 0.5F : 0.01F * (float)(position % 50);
  }
}

static sortlast_rectangle box_at(int position) {
  const int64_t x = position % (FRAME_WIDTH - BOX_WIDTH);
  const int64_t y = position % (FRAME_HEIGHT - BOX_HEIGHT);
  return (sortlast_rectangle){x, y, x + BOX_WIDTH, y + BOX_HEIGHT};
}

static double expected_red(int64_t x, int64_t y, int images) {
  double red = 0;
  double left = 1;
  for (int position = 0; position < images; ++position) {
    const sortlast_rectangle box = box_at(position);
    if (x < box.x0 || x >= box.x1 || y < box.y0 || y >= box.y1) continue;
    red += left * 0.01 * (position % 50);
    left *= 0.5;
  }
  return red;
}

// Rank r has the positions r, p + r, 2 p + r; the last rank has none.
static void composite(sortlast_compositor* compositor, const sortlast_composition* composition) {
  const int p = world_size();
  const int ranks = p > 1 ? p - 1 : 1;
  const int mine = p > 1 && is_last_rank() ? 0 : EACH;
  static float colours[EACH][BOX_WIDTH * BOX_HEIGHT * 4];
  sortlast_rectangle boxes[EACH];
  sortlast_box_image images[EACH];
  for (int i = 0; i < mine; ++i) {
    const int position = i * ranks + world_rank();
    fill(colours[i], position);
    boxes[i] = box_at(position);
    images[i] =
        (sortlast_box_image){{colours[i], NULL, BOX_WIDTH, BOX_HEIGHT, rgba, NULL}, position, &boxes[i]};
  }
  sortlast_tile* tile = NULL;
  sortlast_status status = sortlast_compositor_composite_images(
      compositor, mine > 0 ? images : NULL, mine, FRAME_WIDTH, FRAME_HEIGHT, rgba, composition, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_frame* frame = NULL;
  status = sortlast_compositor_gather(compositor, tile, 0, false, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  if (world_rank() == 0) {
    const float* red = sortlast_frame_image(frame).colour;
    for (int64_t y = 0; y < FRAME_HEIGHT; ++y) {
      for (int64_t x = 0; x < FRAME_WIDTH; ++x)
        CHECK(fabs(red[4 * (y * FRAME_WIDTH + x)] - expected_red(x, y, EACH * ranks)) < 1e-5);
    }
  }
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
}

static void refuse(sortlast_compositor* compositor) {
  static float colours[BOX_WIDTH * BOX_HEIGHT * 4];
  const sortlast_rectangle box = box_at(0);
  const sortlast_rectangle outside = {FRAME_WIDTH - 1, 0, FRAME_WIDTH - 1 + BOX_WIDTH, BOX_HEIGHT};
  sortlast_box_image images[2] = {{{colours, NULL, BOX_WIDTH, BOX_HEIGHT, rgba, NULL}, 7, &box}};
  images[1] = images[0];
  sortlast_tile* tile = NULL;
  sortlast_status status = sortlast_compositor_composite_images(compositor, images, 2, FRAME_WIDTH,
                                                                FRAME_HEIGHT, rgba, NULL, &tile);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  CHECK(strstr(sortlast_compositor_message(compositor), "position 7 is that of two images") != NULL);
  CHECK(tile == NULL);
  images[0].box = &outside;
  status = sortlast_compositor_composite_images(compositor, images, 1, FRAME_WIDTH, FRAME_HEIGHT, rgba, NULL,
                                                &tile);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  status =
      sortlast_compositor_composite_images(compositor, NULL, 1, FRAME_WIDTH, FRAME_HEIGHT, rgba, NULL, &tile);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
}

void test_box_images(void) {
  sortlast_compositor* compositor = NULL;
  const sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  composite(compositor, NULL);
  refuse(compositor);
  composite(compositor, NULL);
  sortlast_compositor_free(compositor);
}

// Ranks that send each other messages send these small images to the rank that is known to gather them,
// unless they have more pixels than the frame.
void test_box_images_of_a_known_root(void) {
  sortlast_options options = SORTLAST_OPTIONS_INIT;
  options.node_ranks = 1;
  sortlast_compositor* compositor = NULL;
  sortlast_status status = sortlast_compositor_create(MPI_COMM_WORLD, &options, &compositor);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  sortlast_composition composition = SORTLAST_COMPOSITION_INIT;
  const int32_t root = 0;
  composition.root = &root;
  composite(compositor, &composition);
  const int p = world_size();
  const bool collects = p > 1 && (p - 1) * EACH * BOX_WIDTH * BOX_HEIGHT <= FRAME_WIDTH * FRAME_HEIGHT;
  CHECK((strcmp(sortlast_compositor_algorithm(compositor), "collect:0") == 0) == collects);

  const int32_t nobody = world_size();
  composition.root = &nobody;
  sortlast_tile* tile = NULL;
  status = sortlast_compositor_composite_images(compositor, NULL, 0, FRAME_WIDTH, FRAME_HEIGHT, rgba,
                                                &composition, &tile);
  CHECK_STATUS(SORTLAST_ERROR_ARGUMENT, status, sortlast_compositor_message(compositor));
  CHECK(strstr(sortlast_compositor_message(compositor), "expected a rank") != NULL);
  sortlast_compositor_free(compositor);
}
