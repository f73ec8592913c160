// The layer over OpenGL 1: without OpenGL an error, with it the right picture in the image and in the window.
#include "IceTGL.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "IceTGL3.h"
#include "check.h"
#include "opengl.h"
#include "scene.h"
#include "tests.h"

#define WIDTH 32
#define HEIGHT 16
static const IceTInt tile[4] = {0, 0, WIDTH, HEIGHT};
static const IceTUByte clear[4] = {51, 102, 153, 255};  // the clear colour

// The pixel of a picture that wide.
static size_t place(int x, int y, int width) { return (size_t)y * (size_t)width + (size_t)x; }

static void draw_nothing(void) {}

void test_gl_without_opengl(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, WIDTH, HEIGHT, 0);
  icetDiagnostics(ICET_DIAG_OFF);
  CHECK(icetGLIsInitialized() == ICET_FALSE);
  icetGLSetReadBuffer(0x0404);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGLDrawCallback(draw_nothing);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(icetGLDrawFrame()));
  CHECK_ERROR(ICET_INVALID_OPERATION);

  icetGLInitialize();
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(icetGLIsInitialized() == ICET_TRUE && icetGL3IsInitialized() == ICET_FALSE);
  icetGL3Initialize();  // a context has one layer
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetGL3IsInitialized() == ICET_FALSE);
  icetGLSetReadBuffer(0x0404);
  CHECK_ERROR(ICET_NO_ERROR);
  icetGLSetReadBuffer(0x0408);  // front and back
  CHECK_ERROR(ICET_INVALID_ENUM);
  icetGLSetReadBuffer(0x040D);
  CHECK_ERROR(ICET_INVALID_ENUM);
  IceTEnum buffer = 0;
  icetGetEnumv(ICET_GL_READ_BUFFER, &buffer);
  CHECK(buffer == 0x0404);
  icetGLDrawCallback(draw_nothing);
  CHECK(icetImageIsNull(icetGLDrawFrame()));
  CHECK_ERROR(ICET_INVALID_OPERATION);

  // A second time is a warning, and begins anew.
  icetGLInitialize();
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGetEnumv(ICET_GL_READ_BUFFER, &buffer);
  CHECK(buffer == 0x0405);
  end_context(context);
}

static int calls;

static void draw_own_quad(void) {
  ++calls;
  void (*clear_buffers)(unsigned);
  find_opengl("glClear", &clear_buffers);
  clear_buffers(0x4000 | 0x0100);  // colours and depths
  const Quad quad = quad_of(world_rank());
  draw_quad(&quad, tile);
}

static void set_clear_colour(void) {
  SetColour set;
  find_opengl("glClearColor", &set);
  set((float)clear[0] / 255, (float)clear[1] / 255, (float)clear[2] / 255, (float)clear[3] / 255);
}

// A context whose frames OpenGL 1 draws by a callback; rank 0 shows them.
static IceTContext make_gl_context(IceTGLDrawCallbackType callback) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, WIDTH, HEIGHT, 0);
  icetGLInitialize();
  icetGLSetReadBuffer(0x0404);  // a window in memory has a front alone
  icetGLDrawCallback(callback);
  CHECK_ERROR(ICET_NO_ERROR);
  return context;
}

static void open_clear_window(int width, int height) {
  open_window(width, height);
  set_clear_colour();
}

static void check_clear_colour(void) {
  GetFloats get;
  find_opengl("glGetFloatv", &get);
  float found[4];
  get(0x0C22, found);
  for (size_t c = 0; c < 4; ++c) CHECK(found[c] == (float)clear[c] / 255);
}

// The image on rank 0, and what its window shows: `zoom` pixels of it are one of the image, and the picture
// lies in its lower left corner.
static void check_picture(IceTImage image, int window_width, int zoom, bool shown) {
  CHECK(icetImageIsNull(image) == (world_rank() != 0));
  if (world_rank() != 0) return;
  const IceTUByte* window = window_pixels();
  for (int y = 0; y < HEIGHT; ++y) {
    for (int x = 0; x < WIDTH; ++x) {
      const IceTUByte* expected = nearest_quad(x, y, clear);
      CHECK(memcmp(&icetImageGetColorcub(image)[4 * place(x, y, WIDTH)], expected, 4) == 0);
      if (!shown) continue;
      for (int i = 0; i < zoom * zoom; ++i) {
        const size_t at = place(zoom * x + i % zoom, zoom * y + i / zoom, window_width);
        CHECK(memcmp(&window[4 * at], expected, 4) == 0);
      }
    }
  }
}

static void check_frame(int window_width, int zoom, bool shown) {
  const int before = calls;
  const IceTImage image = icetGLDrawFrame();
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(calls == before + 1);
  check_picture(image, window_width, zoom, shown);
  check_clear_colour();
  IceTDouble times[3] = {-1, -1, -1};
  icetGetDoublev(ICET_BUFFER_READ_TIME, &times[0]);
  icetGetDoublev(ICET_BUFFER_WRITE_TIME, &times[1]);
  icetGetDoublev(ICET_TOTAL_DRAW_TIME, &times[2]);
  CHECK(times[0] > 0 && (times[1] > 0) == (shown && world_rank() == 0));
  CHECK(times[2] >= times[0] + times[1]);
}

// The matrices of the program are those of the frame, and are as they were after it.
static void check_matrices(void) {
  SetEnum matrix_mode;
  SetDoubles load;
  GetDoubles get;
  find_opengl("glMatrixMode", &matrix_mode);
  find_opengl("glLoadMatrixd", &load);
  find_opengl("glGetDoublev", &get);
  IceTDouble twice[16];
  IceTDouble half[16];
  memcpy(twice, identity, sizeof twice);
  memcpy(half, identity, sizeof half);
  twice[0] = twice[5] = twice[10] = 2;
  half[0] = half[5] = half[10] = 0.5;
  matrix_mode(0x1701);
  load(twice);
  matrix_mode(0x1700);
  load(half);
  check_frame(WIDTH, 1, true);
  IceTDouble found[16];
  get(0x0BA7, found);
  CHECK(memcmp(found, twice, sizeof found) == 0);
  get(0x0BA6, found);
  CHECK(memcmp(found, half, sizeof found) == 0);
  icetGetDoublev(ICET_PROJECTION_MATRIX, found);
  CHECK(memcmp(found, twice, sizeof found) == 0);
  icetGetDoublev(ICET_MODELVIEW_MATRIX, found);
  CHECK(memcmp(found, half, sizeof found) == 0);
}

void test_gl(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_gl_context(NULL);
  open_clear_window(WIDTH, HEIGHT);

  // Without a callback all ranks are told, and that of the context is as it was.
  icetDiagnostics(ICET_DIAG_OFF);
  icetDrawCallback(draw_scene);
  CHECK(icetImageIsNull(icetGLDrawFrame()));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetDiagnostics(ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS);

  icetGLDrawCallback(draw_own_quad);
  check_frame(WIDTH, 1, true);
  IceTVoid* pointer = NULL;
  icetGetPointerv(ICET_DRAW_FUNCTION, &pointer);
  IceTDrawCallbackType function = draw_scene;
  CHECK(memcmp(&pointer, &function, sizeof pointer) == 0);
  check_matrices();
  icetDisable(ICET_GL_DISPLAY);
  check_frame(WIDTH, 1, false);
  if (world_rank() == 0) {  // what it drew itself, and no more
    const Quad own = quad_of(0);
    CHECK(memcmp(&window_pixels()[4 * place(own.x, own.y, WIDTH)], own.colour, 4) == 0);
    CHECK(memcmp(&window_pixels()[4 * place(1, HEIGHT - 1, WIDTH)], clear, 4) == 0);
  }
  icetSetColorFormat(ICET_IMAGE_COLOR_RGBA_FLOAT);
  const IceTImage image = icetGLDrawFrame();
  CHECK_ERROR(ICET_NO_ERROR);
  for (size_t c = 0; c < 4 && world_rank() == 0; ++c) {
    const float expected = (float)nearest_quad(5, 0, clear)[c] / 255;
    CHECK(fabsf(icetImageGetColorcf(image)[4 * place(5, 0, WIDTH) + c] - expected) < 1e-3F);
  }
  close_window();
  end_context(context);
}

// The last rank has OpenGL, and no window to draw in: all ranks are told, and that OpenGL is as it was.
void test_gl_without_window(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_gl_context(draw_own_quad);
  if (!is_last_rank()) open_clear_window(WIDTH, HEIGHT);
  begin_capture();
  CHECK(icetImageIsNull(icetGLDrawFrame()));
  CHECK_HOLDS(end_capture(), "the physical render size is 0");
  CHECK(icetGetError() != ICET_NO_ERROR);
  if (is_last_rank()) open_clear_window(WIDTH, HEIGHT);
  check_clear_colour();
  check_frame(WIDTH, 1, true);
  close_window();
  end_context(context);
}

// Both layers of OpenGL: what a frame is drawn with cannot be set while it is drawn.
static void draw_and_set_callback(void) {
  draw_own_quad();
  icetGLDrawCallback(NULL);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGLInitialize();
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(icetGLDrawFrame()));
  CHECK_ERROR(ICET_INVALID_OPERATION);
}

void test_gl_in_callback(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_gl_context(draw_and_set_callback);
  icetDiagnostics(ICET_DIAG_OFF);
  open_clear_window(WIDTH, HEIGHT);
  for (int i = 0; i < 2; ++i) check_frame(WIDTH, 1, true);
  close_window();
  end_context(context);
}

// A window that is larger than the tile.
void test_gl_in_large_window(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_gl_context(draw_own_quad);
  open_clear_window(2 * WIDTH, 2 * HEIGHT);
  check_frame(2 * WIDTH, 1, true);
  icetEnable(ICET_GL_DISPLAY_INFLATE);
  check_frame(2 * WIDTH, 2, true);
  close_window();
  end_context(context);
}

// One rank draws a quad of half transparent white, premultiplied, which is shown over the clear colour.
static void draw_white(void) {
  void (*clear_buffers)(unsigned);
  find_opengl("glClear", &clear_buffers);
  clear_buffers(0x4000 | 0x0100);
  const Quad white = {0, 0, 8, 8, {128, 128, 128, 128}, 0.5};
  if (world_rank() == 0) draw_quad(&white, tile);
}

void test_gl_over_background(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_gl_context(draw_white);
  icetCompositeMode(ICET_COMPOSITE_MODE_BLEND);
  icetSetDepthFormat(ICET_IMAGE_DEPTH_NONE);
  open_clear_window(WIDTH, HEIGHT);
  for (int colored = 0; colored < 2; ++colored) {
    (colored ? icetEnable : icetDisable)(ICET_GL_DISPLAY_COLORED_BACKGROUND);
    const IceTImage image = icetGLDrawFrame();
    CHECK_ERROR(ICET_NO_ERROR);
    if (world_rank() != 0) continue;
    CHECK(icetImageGetColorcub(image)[0] == 128 && icetImageGetColorcub(image)[3] == 128);
    CHECK(icetImageGetColorcub(image)[4 * place(WIDTH - 1, 0, WIDTH)] == 0);
    const IceTUByte* window = window_pixels();
    for (size_t c = 0; c < 3; ++c) {
      const int beside = colored ? clear[c] : 0;
      const int through = 128 + beside * 127 / 255;
      CHECK(abs(window[c] - through) <= 1 && window[4 * place(WIDTH - 1, 0, WIDTH) + c] == beside);
    }
  }
  close_window();
  end_context(context);
}
