// What the ranks draw in the tests, and what the picture of all of them is, computed from the definition
// pixel by pixel: of the pixels of all ranks the nearest, or the sum over ranks from front to back of the
// colour times the transparency of all before it, in double.
#ifndef SORTLAST_TESTS_ICET_SCENE_H
#define SORTLAST_TESTS_ICET_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#include "IceT.h"

// A pixel: premultiplied bytes, and a depth of 1 where nothing is drawn.
typedef struct Pixel {
  int colour[4];
  float depth;
} Pixel;

// What is drawn and how it is composited. Pixels are given by their place in the global picture.
typedef struct Scene {
  uint32_t seed;
  bool (*covers)(int rank, int x, int y);  // where a rank draws at all; NULL: everywhere
  bool without_depth;                      // colours are drawn, and no depths: as volumes are
  bool disjoint;                           // no two ranks draw at the same place
  const int* data;                         // of each rank, what it draws; NULL: each something of its own
  IceTEnum colour_format;
  IceTEnum depth_format;
  IceTEnum mode;
  const IceTInt* order;  // front to back; NULL: the order does not matter
  float background[4];
  bool correct_background;
} Scene;

extern const IceTDouble identity[16];

// A scene of bytes, with depths, of which the nearest pixel is seen, over black.
Scene nearest_scene(uint32_t seed);
// A scene to be blended in that order, without depths.
Scene blended_scene(uint32_t seed, const IceTInt* order);

uint32_t scramble(uint32_t x);
Pixel scene_pixel(const Scene* scene, int rank, int x, int y);

// Tell the current context the formats, the mode, the order and the background of a scene, and have
// draw_scene() draw it.
void set_scene(const Scene* scene);

// The draw callback of the scene that was last set. Pixels outside the readback viewport become garbage.
void draw_scene(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
                const IceTInt* readback, IceTImage result);
extern int calls_of_draw_scene;  // since set_scene()

// icetDrawFrame() with no projection at all.
IceTImage draw_frame(const Scene* scene);

// Check `number` pixels from `begin` on of the image of a tile {x, y, width, height}.
void check_pixels(const Scene* scene, IceTImage image, const IceTInt* tile, int begin, int number);
// Check the whole image of a tile.
void check_tile(const Scene* scene, IceTImage image, const IceTInt* tile);

// A random order of all ranks, by the seed.
void random_order(uint32_t seed, IceTInt* order);

// A new context of all ranks, made current, with the strategy "reduce" and no tile; and its end.
IceTContext make_context(void);
void end_context(IceTContext context);

// The one tile of most tests, displayed by rank 0; a new context that shows a scene on it; and a frame of the
// scene there, which is right.
extern const IceTInt scene_tile[4];
IceTContext make_context_of_scene(const Scene* scene);
void check_frame_of_scene(const Scene* scene);

#endif
