// Images that every rank can make of every other rank.
#include <stdlib.h>

#include "mpi/tests.h"

static uint32_t scramble(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x45d9f3bU;
  x = (x ^ (x >> 16)) * 0x45d9f3bU;
  return x ^ (x >> 16);
}

// Premultiplied: no channel above the last, alpha. The patterns of float16 are those of 0.125 to 0.5.
sortlast_image make_image(int rank, int64_t width, int64_t height, sortlast_format format) {
  const size_t count = (size_t)(width * height);
  const size_t channels = (size_t)format.channels;
  float* depth = malloc(count * sizeof(float) + 1);
  float* floats = malloc(count * channels * sizeof(float) + 1);
  uint16_t* halves = (uint16_t*)floats;
  uint8_t* bytes = (uint8_t*)floats;
  CHECK(depth != NULL && floats != NULL);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t seed = scramble((uint32_t)rank * 1000003U + (uint32_t)i);
    const uint32_t alpha = seed % 256;
    depth[i] = (float)(seed % 5);
    for (size_t c = 0; c < channels; ++c) {
      const uint32_t value = c == 3 ? alpha : scramble(seed + (uint32_t)c) % (alpha + 1);
      if (format.scalar == SORTLAST_FLOAT32) floats[i * channels + c] = (float)value / 255.0F;
      if (format.scalar == SORTLAST_FLOAT16) halves[i * channels + c] = (uint16_t)(0x3000 + 8 * value);
      if (format.scalar == SORTLAST_UINT8) bytes[i * channels + c] = (uint8_t)value;
    }
  }
  return (sortlast_image){floats, depth, width, height, format, NULL};
}

void free_image(sortlast_image image) {
  free((void*)image.colour);
  free((void*)image.depth);
}
