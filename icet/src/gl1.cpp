// Frames that OpenGL 1 draws and shows (IceTGL.h).
#include <algorithm>
#include <vector>

#include "IceTGL.h"
#include "frame.hpp"
#include "opengl.hpp"

namespace sortlast::icet {
namespace {

constexpr IceTEnum back_buffer = 0x0405;  // GL_BACK

IceTContextStruct& initialised(IceTContextStruct& context, const char* call) {
  if (!context.settings.read_buffer) {
    throw Failure(ICET_INVALID_OPERATION,
                  std::string(call) + ": OpenGL was not added to this context; call icetGLInitialize()");
  }
  return context;
}

void load(unsigned mode, const Matrix& matrix) {
  gl::call<void(unsigned)>("glMatrixMode", mode);
  gl::call<void(const double*)>("glLoadMatrixd", matrix.data());
}

void clear_colour(const float* colour) {
  gl::call<void(float, float, float, float)>("glClearColor", colour[0], colour[1], colour[2], colour[3]);
}

// The draw callback for OpenGL: sets the state that the program's callback expects, and reads the pixels that
// it drew.
void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* background,
          const IceTInt* readback, IceTImage result) {
  IceTContextStruct& context = current();
  Matrix matrix;
  std::copy(projection, projection + 16, matrix.begin());
  load(gl::projection, matrix);
  std::copy(modelview, modelview + 16, matrix.begin());
  load(gl::modelview, matrix);
  clear_colour(background);
  context.settings.gl_draw();
  IceTInt window[4];
  gl::call<void(unsigned, int*)>("glGetIntegerv", gl::viewport, window);
  gl::call<void(unsigned)>("glReadBuffer", *context.settings.read_buffer);
  gl::read_pixels(context, window[0], window[1], readback, *static_cast<Image*>(result.opaque_internals));
}

// The state of OpenGL when a frame is requested.
struct Setup {
  IceTInt window[4] = {0, 0, 0, 0};  // no pixels, if no OpenGL context is current
  Colour clear_colour = {};
  Matrix projection = identity;
  Matrix modelview = identity;
};

Setup current_setup() {
  Setup setup;
  gl::call<void(unsigned, int*)>("glGetIntegerv", gl::viewport, setup.window);
  gl::call<void(unsigned, float*)>("glGetFloatv", gl::color_clear_value, setup.clear_colour.data());
  gl::call<void(unsigned, double*)>("glGetDoublev", gl::projection_matrix, setup.projection.data());
  gl::call<void(unsigned, double*)>("glGetDoublev", gl::modelview_matrix, setup.modelview.data());
  return setup;
}

// Show a tile in the window of the rank that displays it.
void show(IceTContextStruct& context, const IceTImage& image) {
  const Settings& settings = context.settings;
  const double begin = icetWallTime();
  const IceTSizeType width = icetImageGetWidth(image);
  const IceTSizeType height = icetImageGetHeight(image);
  std::vector<IceTUByte> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  icetImageCopyColorub(image, pixels.data(), ICET_IMAGE_COLOR_RGBA_UBYTE);

  // Place it in the lower left corner, or scale it to the window.
  gl::call<void(unsigned)>("glDrawBuffer", *settings.read_buffer);
  load(gl::projection, identity);
  load(gl::modelview, identity);
  gl::call<void(float, float)>("glRasterPos2f", -1.0F, -1.0F);
  const bool inflates = settings.on(ICET_GL_DISPLAY_INFLATE);
  const auto zoom = [&](IceTInt window, IceTSizeType length) {
    return inflates && window > length ? static_cast<float>(window) / static_cast<float>(length) : 1.0F;
  };
  gl::call<void(float, float)>("glPixelZoom", zoom(settings.physical_width, width),
                               zoom(settings.physical_height, height));

  // Blend over the clear colour if the picture does not contain the background.
  const bool blends = settings.mode == ICET_COMPOSITE_MODE_BLEND &&
                      settings.on(ICET_GL_DISPLAY_COLORED_BACKGROUND) &&
                      !settings.on(ICET_CORRECT_COLORED_BACKGROUND);
  gl::call<void(unsigned)>("glPushAttrib", gl::texture_bit | gl::color_buffer_bit);
  gl::call<void(unsigned)>("glDisable", gl::texture_2d);
  if (blends) {
    gl::call<void(unsigned, unsigned)>("glBlendFunc", gl::one, gl::one_minus_src_alpha);
    gl::call<void(unsigned)>("glEnable", gl::blend);
    gl::call<void(unsigned)>("glClear", gl::color_buffer_bit);
  } else {
    gl::call<void(unsigned)>("glDisable", gl::blend);
  }
  gl::call<void(unsigned)>("glClear", gl::depth_buffer_bit);
  gl::call<void(int, int, unsigned, unsigned, const void*)>("glDrawPixels", width, height, gl::rgba,
                                                            gl::unsigned_byte, pixels.data());
  gl::call<void()>("glPopAttrib");
  gl::call<void(float, float)>("glPixelZoom", 1.0F, 1.0F);
  context.frame.times.write += icetWallTime() - begin;
}

}  // namespace
}  // namespace sortlast::icet

using namespace sortlast::icet;

void icetGLInitialize() {
  entry([](IceTContextStruct& context) {
    Settings& settings = context.settings;
    not_while_drawing(context, "icetGLInitialize");
    if (settings.gl3)
      throw Failure(ICET_INVALID_OPERATION,
                    "icetGLInitialize: the context has the layer of OpenGL 3 already");
    if (settings.read_buffer) raise_warning(ICET_INVALID_OPERATION, "icetGLInitialize was called before");
    settings.read_buffer = back_buffer;
    settings.gl_draw = nullptr;
    settings.turn(ICET_GL_DISPLAY, true);
    settings.turn(ICET_GL_DISPLAY_COLORED_BACKGROUND, false);
    settings.turn(ICET_GL_DISPLAY_INFLATE, false);
    settings.turn(ICET_GL_DISPLAY_INFLATE_WITH_HARDWARE, true);
  });
}

IceTBoolean icetGLIsInitialized() {
  const IceTContextStruct* context = current_if_any();
  return context != nullptr && context->settings.read_buffer ? ICET_TRUE : ICET_FALSE;
}

void icetGLSetReadBuffer(GLenum mode) {
  entry([&](IceTContextStruct& context) {
    initialised(context, "icetGLSetReadBuffer");
    // GL_FRONT_LEFT to GL_RIGHT, GL_AUX0 to GL_AUX3; not GL_FRONT_AND_BACK, which cannot be read.
    const bool known = (mode >= 0x0400 && mode <= 0x0407) || (mode >= 0x0409 && mode <= 0x040C);
    if (!known)
      throw Failure(ICET_INVALID_ENUM,
                    "icetGLSetReadBuffer: " + hexadecimal(mode) + " is no buffer of colours");
    context.settings.read_buffer = mode;
  });
}

void icetGLDrawCallback(IceTGLDrawCallbackType callback) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetGLDrawCallback");
    initialised(context, "icetGLDrawCallback").settings.gl_draw = callback;
  });
}

IceTImage icetGLDrawFrame() {
  return entry(icetImageNull(), [](IceTContextStruct& context) {
    not_while_drawing(context, "icetGLDrawFrame");
    const Settings& settings = context.settings;
    const double begin = icetWallTime();

    // Use the state of OpenGL. Errors are reported to all ranks in the frame.
    Setup setup;
    FrameRequest request;
    request.problem = problem_in([&] {
      initialised(context, "icetGLDrawFrame");
      setup = current_setup();
    });
    const bool has_opengl = request.problem.empty();
    if (has_opengl) {
      icetPhysicalRenderSize(setup.window[2], setup.window[3]);
      if (settings.gl_draw != nullptr) request.draw = draw;
    }
    request.projection = setup.projection.data();
    request.modelview = setup.modelview.data();
    request.background = setup.clear_colour.data();

    // Draw, show, and restore the state of OpenGL.
    const IceTImage image = make_frame(context, request);
    if (!has_opengl) return image;
    clear_colour(setup.clear_colour.data());
    if (displayed_tile(context) >= 0 && settings.on(ICET_GL_DISPLAY) &&
        icetImageGetColorFormat(image) != ICET_IMAGE_COLOR_NONE)
      show(context, image);
    load(gl::projection, setup.projection);
    load(gl::modelview, setup.modelview);
    context.frame.times.total = icetWallTime() - begin;
    return image;
  });
}
