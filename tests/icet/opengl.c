#include "opengl.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

typedef void* Mesa;
static Mesa (*create_context)(unsigned, int, int, int, Mesa);
static unsigned char (*make_current)(Mesa, void*, unsigned, int, int);
static void (*destroy_context)(Mesa);
static Mesa mesa = NULL;
static IceTUByte* pixels = NULL;

void find_opengl(const char* name, void* function) {
  void* found = dlsym(RTLD_DEFAULT, name);
  CHECK(found != NULL);
  memcpy(function, &found, sizeof found);
}

bool load_opengl(void) {
  const bool here = dlopen("libOSMesa.so.8", RTLD_NOW | RTLD_GLOBAL) != NULL ||
                    dlopen("libOSMesa.so.6", RTLD_NOW | RTLD_GLOBAL) != NULL;
  if (!here) {
    if (world_rank() == 0) fprintf(stderr, "the layers over OpenGL are not tested: there is no libOSMesa\n");
    return false;
  }
  find_opengl("OSMesaCreateContextExt", &create_context);
  find_opengl("OSMesaMakeCurrent", &make_current);
  find_opengl("OSMesaDestroyContext", &destroy_context);
  return true;
}

void open_window(int width, int height) {
  const unsigned rgba = 0x1908;
  const unsigned bytes = 0x1401;
  mesa = create_context(rgba, 24, 0, 0, NULL);
  CHECK(mesa != NULL);
  pixels = allocate(4 * (size_t)width * (size_t)height);
  CHECK(make_current(mesa, pixels, bytes, width, height));
  SetEnum enable;
  find_opengl("glEnable", &enable);
  enable(0x0B71);  // GL_DEPTH_TEST
}

void close_window(void) {
  destroy_context(mesa);
  free(pixels);
}

const IceTUByte* window_pixels(void) {
  void (*finish)(void);
  find_opengl("glFinish", &finish);
  finish();
  return pixels;
}

Quad quad_of(int rank) {
  return (Quad){
      .x = 2 * rank,
      .y = rank,
      .width = 12,
      .height = 7,
      .colour = {(IceTUByte)(20 + 25 * rank), (IceTUByte)(200 - 20 * rank), (IceTUByte)(9 * rank), 255},
      .depth = (rank * 5 + 3) % 8 / 8.0 + 0.05};
}

void draw_quad(const Quad* quad, const IceTInt* global) {
  void (*colour)(const IceTUByte*);
  SetEnum begin;
  void (*vertex)(double, double, double);
  void (*end)(void);
  find_opengl("glColor4ubv", &colour);
  find_opengl("glBegin", &begin);
  find_opengl("glVertex3d", &vertex);
  find_opengl("glEnd", &end);
  const double left = 2.0 * (quad->x - global[0]) / global[2] - 1;
  const double bottom = 2.0 * (quad->y - global[1]) / global[3] - 1;
  const double right = left + 2.0 * quad->width / global[2];
  const double top = bottom + 2.0 * quad->height / global[3];
  const double depth = 2 * quad->depth - 1;
  colour(quad->colour);
  begin(0x0007);  // GL_QUADS
  vertex(left, bottom, depth);
  vertex(right, bottom, depth);
  vertex(right, top, depth);
  vertex(left, top, depth);
  end();
}

const IceTUByte* nearest_quad(int x, int y, const IceTUByte* background) {
  static Quad nearest;
  bool found = false;
  for (int rank = 0; rank < world_size(); ++rank) {
    const Quad quad = quad_of(rank);
    if (x < quad.x || x >= quad.x + quad.width || y < quad.y || y >= quad.y + quad.height) continue;
    if (found && quad.depth >= nearest.depth) continue;
    nearest = quad;
    found = true;
  }
  return found ? nearest.colour : background;
}
