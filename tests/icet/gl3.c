// The layer over OpenGL 3: without OpenGL an error, with it the picture of what was drawn into the
// framebuffer.
#include "IceTGL3.h"

#include <string.h>

#include "IceTGL.h"
#include "check.h"
#include "opengl.h"
#include "scene.h"
#include "tests.h"

#define WIDTH 32
#define HEIGHT 16
static const IceTInt tile[4] = {0, 0, WIDTH, HEIGHT};
static int calls;

static void draw_own_quad(const IceTDouble* projection, const IceTDouble* modelview, const IceTInt* readback,
                          IceTUInt framebuffer) {
  (void)modelview;
  ++calls;
  int bound = 0;
  void (*get)(unsigned, int*);
  void (*clear_buffers)(unsigned);
  SetEnum matrix_mode;
  SetDoubles load;
  SetRectangle viewport;
  SetColour clear_colour;
  find_opengl("glGetIntegerv", &get);
  find_opengl("glClear", &clear_buffers);
  find_opengl("glMatrixMode", &matrix_mode);
  find_opengl("glLoadMatrixd", &load);
  find_opengl("glViewport", &viewport);
  find_opengl("glClearColor", &clear_colour);
  get(0x8CA6, &bound);
  CHECK(framebuffer != 0 && (IceTUInt)bound == framebuffer);
  CHECK(readback[2] <= WIDTH + 8 && readback[3] <= HEIGHT + 4);
  viewport(0, 0, WIDTH + 8, HEIGHT + 4);  // the physical render size
  matrix_mode(0x1701);
  load(projection);
  clear_colour(0, 0, 0, 0);
  clear_buffers(0x4000 | 0x0100);
  const Quad quad = quad_of(world_rank());
  draw_quad(&quad, tile);
}

void test_gl3_without_opengl(void) {
  const IceTContext context = make_context();
  icetAddTile(0, 0, WIDTH, HEIGHT, 0);
  icetDiagnostics(ICET_DIAG_OFF);
  icetGL3DrawCallbackTexture(draw_own_quad);
  CHECK_ERROR(ICET_INVALID_OPERATION);
  CHECK(icetImageIsNull(icetGL3DrawFrame(identity, identity)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGL3Initialize();
  CHECK_ERROR(ICET_NO_ERROR);
  CHECK(icetGL3IsInitialized() == ICET_TRUE && icetGLIsInitialized() == ICET_FALSE);
  icetGLInitialize();
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGL3DrawCallbackTexture(draw_own_quad);
  CHECK_ERROR(ICET_NO_ERROR);
  IceTVoid* pointer = NULL;
  icetGetPointerv(ICET_GL3_DRAW_FUNCTION, &pointer);
  CHECK(pointer != NULL);
  IceTBoolean is_initialised = ICET_FALSE;
  icetGetBooleanv(ICET_GL3_INITIALIZED, &is_initialised);
  CHECK(is_initialised == ICET_TRUE);
  CHECK(icetImageIsNull(icetGL3DrawFrame(identity, identity)));
  CHECK_ERROR(ICET_INVALID_OPERATION);
  icetGL3Initialize();
  CHECK_ERROR(ICET_INVALID_OPERATION);  // a warning
  end_context(context);
}

void test_gl3(void) {
  if (!load_opengl()) return;
  const IceTContext context = make_context();
  icetAddTile(0, 0, WIDTH, HEIGHT, 0);
  icetPhysicalRenderSize(WIDTH + 8, HEIGHT + 4);
  icetGL3Initialize();
  open_window(4, 4);  // the frame is not drawn into it
  icetDiagnostics(ICET_DIAG_OFF);
  CHECK(icetImageIsNull(icetGL3DrawFrame(identity, identity)));
  CHECK_ERROR(ICET_INVALID_OPERATION);  // there is no callback
  icetDiagnostics(ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS);
  icetGL3DrawCallbackTexture(draw_own_quad);
  for (int floats = 0; floats < 2; ++floats) {
    icetSetColorFormat(floats ? ICET_IMAGE_COLOR_RGBA_FLOAT : ICET_IMAGE_COLOR_RGBA_UBYTE);
    calls = 0;
    const IceTImage image = icetGL3DrawFrame(identity, identity);
    CHECK_ERROR(ICET_NO_ERROR);
    CHECK(calls == 1);
    int bound = -1;
    void (*get)(unsigned, int*);
    find_opengl("glGetIntegerv", &get);
    get(0x8CA6, &bound);
    CHECK(bound == 0);  // what was bound before
    CHECK(icetImageIsNull(image) == (world_rank() != 0));
    if (world_rank() != 0) continue;
    IceTUByte pixels[4 * WIDTH * HEIGHT];
    icetImageCopyColorub(image, pixels, ICET_IMAGE_COLOR_RGBA_UBYTE);
    const IceTUByte nothing[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; ++i)
      CHECK(memcmp(&pixels[4 * i], nearest_quad((int)i % WIDTH, (int)i / WIDTH, nothing), 4) == 0);
  }
  close_window();
  end_context(context);
}
