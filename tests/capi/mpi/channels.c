// Further channels of pixels: ids and depths of the nearest, blended values, frames and tiles, and what is
// wrong.
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

#define WIDTH 12
#define HEIGHT 10
#define PIXELS (WIDTH * HEIGHT)

// Of every rank: a band of rows, drawn at a depth that falls with the rank.
static float colours[PIXELS * 4];
static float depths[PIXELS];
static uint32_t ids[PIXELS];
static float values[PIXELS * 2];

static bool drawn_by(int rank, int pixel) { return pixel / WIDTH >= rank % HEIGHT; }

static sortlast_image make_scene(void) {
  const int rank = world_rank();
  for (int i = 0; i < PIXELS; ++i) {
    const float alpha = drawn_by(rank, i) ? 0.5F : 0;
    for (int c = 0; c < 4; ++c) colours[4 * (size_t)i + (size_t)c] = alpha;
    depths[i] = drawn_by(rank, i) ? (float)(world_size() - rank) : 1e30F;
    if (!drawn_by(rank, i)) memcpy(&depths[i], &(uint32_t){0x7f800000}, sizeof(float));  // infinity
    ids[i] = 4000000000u + (uint32_t)(PIXELS * rank + i);
    values[2 * (size_t)i] = alpha;
    values[2 * (size_t)i + 1] = alpha * (float)rank;
  }
  return (sortlast_image){colours, depths, WIDTH, HEIGHT, {SORTLAST_FLOAT32, 4, true}, NULL};
}

static void two_channels(sortlast_channel* channels) {
  const sortlast_channel standard = SORTLAST_CHANNEL_INIT;
  channels[0] = channels[1] = standard;
  channels[0].name = "values";
  channels[0].width = 2;
  channels[0].values = values;
  channels[1].name = "id";
  channels[1].type = SORTLAST_CHANNEL_UINT32;
  channels[1].values = ids;
}

static void check_names(sortlast_channel_values first, sortlast_channel_values second, int64_t pixels) {
  CHECK(strcmp(first.name, "id") == 0 && first.type == SORTLAST_CHANNEL_UINT32 && first.width == 1);
  CHECK(strcmp(second.name, "values") == 0 && second.type == SORTLAST_CHANNEL_FLOAT32 && second.width == 2);
  CHECK(first.pixels == pixels && second.pixels == pixels);
  CHECK((first.values == NULL) == (pixels == 0));
}

static void check_closest(sortlast_compositor* compositor, const sortlast_image* image,
                          sortlast_channel* channels) {
  const sortlast_composition composition = {SIZED_COMPOSITION, .op = SORTLAST_CLOSEST};
  const double nobody = 7;
  channels[1].background = &nobody;
  sortlast_tile* tile = NULL;
  sortlast_status status =
      sortlast_compositor_composite_channels(compositor, image, channels, 2, &composition, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  const sortlast_tile_pixels mine = sortlast_tile_get(tile);
  CHECK(sortlast_tile_channel_count(tile) == 2);
  check_names(sortlast_tile_channel(tile, 0), sortlast_tile_channel(tile, 1),
              mine.range.end - mine.range.begin);
  CHECK(sortlast_tile_channel(tile, 2).name == NULL && sortlast_tile_channel(tile, -1).name == NULL);

  sortlast_frame* frame = NULL;
  status = sortlast_compositor_gather_channels(compositor, tile, world_size() - 1, true, &frame);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  CHECK((frame != NULL) == is_last_rank());
  if (frame != NULL) {
    CHECK(sortlast_frame_channel_count(frame) == 2 && sortlast_frame_image(frame).depth != NULL);
    check_names(sortlast_frame_channel(frame, 0), sortlast_frame_channel(frame, 1), (int64_t)WIDTH * HEIGHT);
    const uint32_t* found = sortlast_frame_channel(frame, 0).values;
    for (int i = 0; i < PIXELS; ++i) {
      int nearest = world_size() - 1;
      while (nearest >= 0 && !drawn_by(nearest, i)) --nearest;
      CHECK(found[i] == (nearest < 0 ? 7 : 4000000000u + (uint32_t)(PIXELS * nearest + i)));
    }
  }
  sortlast_frame_free(frame);
  sortlast_tile_free(tile);
  channels[1].background = NULL;
}

static void check_over(sortlast_compositor* compositor, const sortlast_image* image,
                       sortlast_channel* channels) {
  channels[1].rule = SORTLAST_RULE_ACCUMULATED;
  channels[1].threshold = 0.6F;
  sortlast_tile* tile = NULL;
  sortlast_status status =
      sortlast_compositor_composite_channels(compositor, image, channels, 2, NULL, &tile);
  CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
  const int64_t begin = sortlast_tile_get(tile).range.begin;
  const uint32_t* found = sortlast_tile_channel(tile, 0).values;
  const float* blended = sortlast_tile_channel(tile, 1).values;
  for (int64_t i = 0; i < sortlast_tile_channel(tile, 0).pixels; ++i) {
    const int pixel = (int)(begin + i);
    double left = 1;
    double sum[2] = {0, 0};
    uint32_t id = 0;
    for (int rank = 0; rank < world_size(); ++rank) {
      if (!drawn_by(rank, pixel)) continue;
      sum[0] += left * 0.5;
      sum[1] += left * 0.5 * rank;
      left *= 0.5;
      if (left == 0.25) id = 4000000000u + (uint32_t)(PIXELS * rank + pixel);  // the second: alpha 0.75
    }
    CHECK(found[i] == id);
    for (int k = 0; k < 2; ++k)
      CHECK(blended[2 * i + k] - sum[k] < 1e-6 && sum[k] - blended[2 * i + k] < 1e-6);
  }
  sortlast_tile_free(tile);
  channels[1].rule = SORTLAST_RULE_AUTOMATIC;
}

static void refuse(sortlast_compositor* compositor, const sortlast_image* image,
                   const sortlast_channel* channels, int32_t count, sortlast_status expected,
                   const char* part) {
  sortlast_tile* tile = NULL;
  const sortlast_status status =
      sortlast_compositor_composite_channels(compositor, image, channels, count, NULL, &tile);
  CHECK(tile == NULL);
  CHECK_STATUS(expected, status, sortlast_compositor_message(compositor));
  CHECK_HOLDS(sortlast_compositor_message(compositor), part);
}

static void check_wrong(sortlast_compositor* compositor, const sortlast_image* image,
                        sortlast_channel* channels) {
  const sortlast_channel before = channels[1];
#define REFUSE(change, part)                                                                  \
  (channels[1].change, refuse(compositor, image, channels, 2, SORTLAST_ERROR_ARGUMENT, part), \
   channels[1] = before)
  REFUSE(name = NULL, "the name of a channel is NULL");
  REFUSE(name = "values", "two channels 'values'");
  REFUSE(type = 2, "the type of a channel is number 2");
  REFUSE(rule = -1, "the rule of a channel is number -1");
  REFUSE(rule = SORTLAST_RULE_BLEND, "'id' is uint32");
  REFUSE(width = 0, "0 values a pixel");
  REFUSE(values = NULL, "'id' has no values");
  REFUSE(values = (const char*)ids + 1, "not aligned");
  REFUSE(size = 8, "size of sortlast_channel is 8");
  refuse(compositor, image, NULL, 1, SORTLAST_ERROR_ARGUMENT, "1 channels at NULL");
  refuse(compositor, image, channels, -1, SORTLAST_ERROR_ARGUMENT, "-1 channels");
  if (world_size() > 1) {
    if (world_rank() == 1) channels[1].type = SORTLAST_CHANNEL_FLOAT32;
    refuse(compositor, image, channels, 2, SORTLAST_ERROR_MISMATCH, "channel id: 1 x uint32");
    channels[1] = before;
  }

  // A tile without channels has none to gather.
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  CHECK(sortlast_compositor_composite(compositor, image, NULL, &tile) == SORTLAST_OK);
  CHECK(sortlast_tile_channel_count(tile) == 0 && sortlast_tile_channel(tile, 0).values == NULL);
  CHECK(sortlast_compositor_gather_channels(compositor, tile, 0, false, &frame) == SORTLAST_ERROR_ARGUMENT);
  sortlast_tile_free(tile);
  CHECK(sortlast_tile_channel_count(NULL) == 0 && sortlast_frame_channel_count(NULL) == 0);
  CHECK(sortlast_tile_channel(NULL, 0).name == NULL && sortlast_frame_channel(NULL, 0).name == NULL);
  CHECK(sortlast_compositor_composite_channels(NULL, image, channels, 2, NULL, &tile) ==
        SORTLAST_ERROR_ARGUMENT);
  CHECK(sortlast_compositor_gather_channels(NULL, NULL, 0, false, &frame) == SORTLAST_ERROR_ARGUMENT);
}

void test_channels(void) {
  const sortlast_image image = make_scene();
  sortlast_channel channels[2];
  two_channels(channels);
  for (int32_t node_ranks = 0; node_ranks < 2; ++node_ranks) {
    sortlast_compositor* compositor = NULL;
    const sortlast_status status =
        sortlast_compositor_create(MPI_COMM_WORLD, WITH(node_ranks, node_ranks), &compositor);
    CHECK_STATUS(SORTLAST_OK, status, sortlast_compositor_message(compositor));
    check_closest(compositor, &image, channels);
    check_over(compositor, &image, channels);
    check_wrong(compositor, &image, channels);
    check_closest(compositor, &image, channels);
    sortlast_compositor_free(compositor);
  }
}
