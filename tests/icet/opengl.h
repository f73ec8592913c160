// OpenGL in memory, by Mesa's OSMesa, which is loaded when it is needed: what the tests of the layers over
// OpenGL draw with.
#ifndef SORTLAST_TESTS_ICET_OPENGL_H
#define SORTLAST_TESTS_ICET_OPENGL_H

#include <stdbool.h>

#include "IceTGL.h"

// Load OpenGL into the program, for good. False, with a line on standard error that says so, if there is
// none.
bool load_opengl(void);

// A window in memory of that size, current and of bytes; and its end.
void open_window(int width, int height);
void close_window(void);

// The bytes of the window, row by row from below.
const IceTUByte* window_pixels(void);

// A rectangle of the picture in pixels of a global viewport {x, y, width, height}, seen without projection.
typedef struct Quad {
  int x, y, width, height;
  IceTUByte colour[4];
  double depth;  // 0..1
} Quad;
Quad quad_of(int rank);  // what a rank draws
void draw_quad(const Quad* quad, const IceTInt* global);

// The colour of a pixel where the quads of all ranks are seen over a background, the nearest first.
const IceTUByte* nearest_quad(int x, int y, const IceTUByte* background);

// Functions of OpenGL by their types.
typedef void (*SetEnum)(unsigned);
typedef void (*SetColour)(float, float, float, float);
typedef void (*SetRectangle)(int, int, int, int);
typedef void (*GetDoubles)(unsigned, double*);
typedef void (*GetFloats)(unsigned, float*);
typedef void (*SetDoubles)(const double*);
void find_opengl(const char* name, void* function);  // `function`: the address of a pointer to one

#endif
