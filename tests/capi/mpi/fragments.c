// Lists of fragments through the C interface.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/tests.h"

#define STATUS(call) CHECK((call) == SORTLAST_OK)

// The same with colours of uint8, which are parts of 255.
static void check_uint8(sortlast_compositor* compositor, const sortlast_fragments* fragments) {
  const int rank = world_rank();
  const int size = world_size();
  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  sortlast_fragment_lists* lists = NULL;
  const uint8_t colour_uint8[12] = {102, 0, 0, 102, 0, 51, 0, 51, 0, 0, 102, 102};
  const uint8_t surface_uint8[8] = {0, 0, 0, 0, 204, 204, 204, 0};
  sortlast_fragments bytes = *fragments;
  bytes.scalar = SORTLAST_UINT8;
  bytes.colour = NULL;
  bytes.surface = NULL;
  bytes.colour_uint8 = colour_uint8;
  if (rank == 0) bytes.surface_uint8 = surface_uint8;
  STATUS(sortlast_compositor_composite_fragments(compositor, &bytes, NULL, &tile));
  STATUS(sortlast_compositor_gather(compositor, tile, 0, false, &frame));
  STATUS(sortlast_compositor_gather_fragments(compositor, tile, 0, &lists));
  if (rank == 0) {
    const sortlast_image image = sortlast_frame_image(frame);
    CHECK(image.format.scalar == SORTLAST_UINT8);
    const uint8_t* pixels = image.colour;
    float red = 0;
    for (int i = 0; i < size; ++i) red += (1 - red) * 0.4F;
    CHECK(abs(pixels[0] - (int)lroundf(255 * red)) <= 1 && pixels[3] == pixels[0]);
    CHECK(pixels[4] == 163 && pixels[5] == 214 && pixels[6] == 163 && pixels[7] == 255);
    const sortlast_fragments all = sortlast_fragment_lists_get(lists);
    CHECK(all.scalar == SORTLAST_UINT8 && all.count == size + 3);
    CHECK(all.colour_uint8[0] == 102 && all.colour_uint8[4 * (size + 1) + 3] == 255);
  }
  sortlast_tile_free(tile);
  sortlast_frame_free(frame);
  sortlast_fragment_lists_free(lists);
}

// One pixel, in which every rank has one medium from 0 to 2, and rank 0 a sheet in its middle; with ids.
static void check_intervals(sortlast_compositor* compositor) {
  const int rank = world_rank();
  const int size = world_size();
  const int32_t counts[1] = {rank == 0 ? 2 : 1};
  const float colour[8] = {0, 0.75F, 0, 0.75F, 0.5F, 0, 0, 0.5F};
  const float depth[2] = {0, 1};
  const float depth_back[2] = {2, 1};
  const uint32_t ids[2] = {10 * (uint32_t)rank, 10 * (uint32_t)rank + 1};
  sortlast_channel channel = SORTLAST_CHANNEL_INIT;
  channel.name = "id";
  channel.type = SORTLAST_CHANNEL_UINT32;
  channel.values = ids;
  sortlast_fragments fragments = SORTLAST_FRAGMENTS_INIT;
  fragments.width = 1;
  fragments.height = 1;
  fragments.counts = counts;
  fragments.colour = colour;
  fragments.depth = depth;
  fragments.count = counts[0];
  fragments.intervals = true;
  fragments.depth_back = depth_back;
  fragments.channels = &channel;
  fragments.channel_count = 1;

  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  sortlast_fragment_lists* lists = NULL;
  STATUS(sortlast_compositor_composite_fragments(compositor, &fragments, NULL, &tile));
  STATUS(sortlast_compositor_gather(compositor, tile, 0, false, &frame));
  STATUS(sortlast_compositor_gather_fragments(compositor, tile, 0, &lists));
  if (rank == 0) {
    // Half of all media, the sheet, and the other half.
    const float half = 1 - powf(0.5F, (float)size);
    const float* pixel = sortlast_frame_image(frame).colour;
    CHECK(fabsf(pixel[0] - (1 - half) * 0.5F) < 1e-6F);
    CHECK(fabsf(pixel[1] - (half + (1 - half) * 0.5F * half)) < 1e-6F);
    CHECK(fabsf(pixel[3] - (1 - (1 - half) * (1 - half) * 0.5F)) < 1e-6F);
    const sortlast_fragments all = sortlast_fragment_lists_get(lists);
    CHECK(all.count == size + 1 && all.intervals && all.channel_count == 1);
    CHECK(all.depth_back[0] == 2 && all.depth_back[size] == 1);
    CHECK(strcmp(all.channels[0].name, "id") == 0 && all.channels[0].type == SORTLAST_CHANNEL_UINT32);
    const uint32_t* found = all.channels[0].values;
    CHECK(found[0] == 0 && found[size - 1] == 10 * (uint32_t)(size - 1) && found[size] == 1);
  }
  sortlast_tile_free(tile);
  sortlast_frame_free(frame);
  sortlast_fragment_lists_free(lists);
}

// Each rank has one fragment in the left pixel, all of the same depth, and the last rank has two in the right
// one, which a surface of rank 0 hides or not.
void test_fragments(void) {
  const int rank = world_rank();
  const int size = world_size();
  sortlast_compositor* compositor = NULL;
  STATUS(sortlast_compositor_create(MPI_COMM_WORLD, NULL, &compositor));

  const int32_t counts[2] = {1, is_last_rank() ? 2 : 0};
  const float colour[12] = {0.5F, 0, 0, 0.5F, 0, 0.25F, 0, 0.25F, 0, 0, 0.5F, 0.5F};
  const float depth[3] = {7, 9, NAN};
  const float surface[8] = {0, 0, 0, 0, 1, 1, 1, 0};
  const float surface_depth[2] = {INFINITY, 9.5F};
  sortlast_fragments fragments = SORTLAST_FRAGMENTS_INIT;
  fragments.width = 2;
  fragments.height = 1;
  fragments.counts = counts;
  fragments.colour = colour;
  fragments.depth = depth;
  fragments.count = counts[0] + counts[1];
  if (rank == 0) {
    fragments.surface = surface;
    fragments.surface_depth = surface_depth;
  }

  sortlast_tile* tile = NULL;
  sortlast_frame* frame = NULL;
  sortlast_fragment_lists* lists = NULL;
  STATUS(sortlast_compositor_composite_fragments(compositor, &fragments, NULL, &tile));
  STATUS(sortlast_compositor_gather(compositor, tile, 0, false, &frame));
  STATUS(sortlast_compositor_gather_fragments(compositor, tile, 0, &lists));
  CHECK((frame != NULL) == (rank == 0) && (lists != NULL) == (rank == 0));
  if (rank == 0) {
    const float* pixels = sortlast_frame_image(frame).colour;
    float red = 0;
    for (int i = 0; i < size; ++i) red += (1 - red) * 0.5F;
    CHECK(pixels[0] == red && pixels[3] == red);
    CHECK(pixels[4] == 0.75F && pixels[5] == 1 && pixels[6] == 0.75F && pixels[7] == 1);
    const sortlast_fragments all = sortlast_fragment_lists_get(lists);
    CHECK(all.width == 2 && all.height == 1 && all.count == size + 3);
    CHECK(all.counts[0] == size && all.counts[1] == 3);
    CHECK(all.depth[size] == 9 && all.depth[size + 1] == 9.5F && isnan(all.depth[size + 2]));
    CHECK(all.colour[4 * (size + 1) + 3] == 1);
  }
  sortlast_tile_free(tile);
  sortlast_frame_free(frame);
  sortlast_fragment_lists_free(lists);

  check_uint8(compositor, &fragments);
  check_intervals(compositor);

  // What is wrong on one rank is every rank's error, and the next frame is well.
  const sortlast_status wrong = size == 1 ? SORTLAST_ERROR_ARGUMENT : SORTLAST_ERROR_MISMATCH;
  sortlast_fragments bad = fragments;
  if (is_last_rank()) bad.count = 1;
  sortlast_status found = sortlast_compositor_composite_fragments(compositor, &bad, NULL, &tile);
  CHECK((found == wrong || found == SORTLAST_ERROR_ARGUMENT) && tile == NULL);
  CHECK(strstr(sortlast_compositor_message(compositor), "expected one a fragment") != NULL);
  if (is_last_rank()) bad.size = 3;
  found = sortlast_compositor_composite_fragments(compositor, &bad, NULL, &tile);
  CHECK((found == wrong || found == SORTLAST_ERROR_ARGUMENT) && tile == NULL);
  CHECK(strstr(sortlast_compositor_message(compositor), "sortlast_fragments") != NULL);
  sortlast_fragment_composition composition = SORTLAST_FRAGMENT_COMPOSITION_INIT;
  composition.max_bytes = 50;
  CHECK(sortlast_compositor_composite_fragments(compositor, &fragments, &composition, &tile) ==
        SORTLAST_ERROR_ARGUMENT);
  CHECK(strstr(sortlast_compositor_message(compositor), "max_bytes is 50") != NULL);

  // Without the lists, with a background.
  const float background[4] = {0, 0, 0, 1};
  composition.max_bytes = 0;
  composition.keep_lists = false;
  composition.background = background;
  STATUS(sortlast_compositor_composite_fragments(compositor, &fragments, &composition, &tile));
  CHECK(sortlast_compositor_gather_fragments(compositor, tile, 0, &lists) != SORTLAST_OK && lists == NULL);
  STATUS(sortlast_compositor_gather(compositor, tile, 0, false, &frame));
  if (rank == 0) CHECK(((const float*)sortlast_frame_image(frame).colour)[3] == 1);
  sortlast_tile_free(tile);
  sortlast_frame_free(frame);
  CHECK(sortlast_fragment_lists_get(NULL).counts == NULL);
  sortlast_fragment_lists_free(NULL);
  sortlast_compositor_free(compositor);
}
