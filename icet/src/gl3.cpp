// Frames that OpenGL 3 draws into a framebuffer (IceTGL3.h).

#include <optional>
#include <string>
#include <utility>

#include "IceTGL3.h"
#include "frame.hpp"
#include "opengl.hpp"

namespace sortlast::icet {
namespace {

constexpr unsigned framebuffer = 0x8D40;
constexpr unsigned framebuffer_binding = 0x8CA6;
constexpr unsigned renderbuffer = 0x8D41;
constexpr unsigned colour_attachment = 0x8CE0;
constexpr unsigned depth_attachment = 0x8D00;
constexpr unsigned framebuffer_complete = 0x8CD5;
constexpr unsigned rgba8 = 0x8058;
constexpr unsigned rgba32f = 0x8814;
constexpr unsigned depth_component32f = 0x8CAC;

// The framebuffer of a frame, with a colour and a depth buffer. The destructor restores the previous binding.
class Framebuffer {
 public:
  Framebuffer(IceTInt width, IceTInt height, bool bytes) {
    gl::call<void(unsigned, int*)>("glGetIntegerv", framebuffer_binding, &before_);
    gl::call<void(int, unsigned*)>("glGenFramebuffers", 1, &name_);
    gl::call<void(unsigned, unsigned)>("glBindFramebuffer", framebuffer, name_);
    gl::call<void(int, unsigned*)>("glGenRenderbuffers", 2, buffers_);
    attach(buffers_[0], bytes ? rgba8 : rgba32f, colour_attachment, width, height);
    attach(buffers_[1], depth_component32f, depth_attachment, width, height);
    if (gl::call<unsigned(unsigned)>("glCheckFramebufferStatus", framebuffer) != framebuffer_complete) {
      end();
      throw Failure(ICET_INVALID_OPERATION, "OpenGL has no framebuffer of " + std::to_string(width) + "x" +
                                                std::to_string(height) + " pixels for the frame");
    }
  }
  ~Framebuffer() { end(); }
  Framebuffer(const Framebuffer&) = delete;
  Framebuffer& operator=(const Framebuffer&) = delete;

  unsigned name() const { return name_; }
  void bind() const { gl::call<void(unsigned, unsigned)>("glBindFramebuffer", framebuffer, name_); }

 private:
  static void attach(unsigned buffer, unsigned format, unsigned place, IceTInt width, IceTInt height) {
    gl::call<void(unsigned, unsigned)>("glBindRenderbuffer", renderbuffer, buffer);
    gl::call<void(unsigned, unsigned, int, int)>("glRenderbufferStorage", renderbuffer, format, width,
                                                 height);
    gl::call<void(unsigned, unsigned, unsigned, unsigned)>("glFramebufferRenderbuffer", framebuffer, place,
                                                           renderbuffer, buffer);
  }

  void end() {
    gl::call<void(unsigned, unsigned)>("glBindFramebuffer", framebuffer, static_cast<unsigned>(before_));
    gl::call<void(int, const unsigned*)>("glDeleteRenderbuffers", 2, buffers_);
    gl::call<void(int, const unsigned*)>("glDeleteFramebuffers", 1, &name_);
  }

  int before_ = 0;
  unsigned name_ = 0;
  unsigned buffers_[2] = {0, 0};
};

IceTContextStruct& initialised(IceTContextStruct& context, const char* call) {
  if (!context.settings.gl3) {
    throw Failure(ICET_INVALID_OPERATION,
                  std::string(call) + ": OpenGL 3 was not added to this context; call icetGL3Initialize()");
  }
  return context;
}

const Framebuffer* current_target = nullptr;  // of the current frame; a callback may start another frame

// Makes a target current until the end of its frame.
class Targeted {
 public:
  explicit Targeted(const Framebuffer* target) : before_(std::exchange(current_target, target)) {}
  ~Targeted() { current_target = before_; }
  Targeted(const Targeted&) = delete;
  Targeted& operator=(const Targeted&) = delete;

 private:
  const Framebuffer* before_;
};

void draw(const IceTDouble* projection, const IceTDouble* modelview, const IceTFloat* /*background*/,
          const IceTInt* readback, IceTImage result) {
  IceTContextStruct& context = current();
  current_target->bind();
  // type passed to icetGL3DrawCallbackTexture()
  reinterpret_cast<IceTGL3DrawCallbackTextureType>(context.settings.gl_draw)(projection, modelview, readback,
                                                                             current_target->name());
  current_target->bind();
  gl::call<void(unsigned)>("glReadBuffer", colour_attachment);
  gl::read_pixels(context, 0, 0, readback, *static_cast<Image*>(result.opaque_internals));
}

}  // namespace
}  // namespace sortlast::icet

using namespace sortlast::icet;

void icetGL3Initialize() {
  entry([](IceTContextStruct& context) {
    Settings& settings = context.settings;
    not_while_drawing(context, "icetGL3Initialize");
    if (settings.read_buffer)
      throw Failure(ICET_INVALID_OPERATION,
                    "icetGL3Initialize: the context has the layer of OpenGL 1 already");
    if (settings.gl3) raise_warning(ICET_INVALID_OPERATION, "icetGL3Initialize was called before");
    settings.gl3 = true;
    settings.gl_draw = nullptr;
  });
}

IceTBoolean icetGL3IsInitialized() {
  const IceTContextStruct* context = current_if_any();
  return context != nullptr && context->settings.gl3 ? ICET_TRUE : ICET_FALSE;
}

void icetGL3DrawCallbackTexture(IceTGL3DrawCallbackTextureType callback) {
  entry([&](IceTContextStruct& context) {
    not_while_drawing(context, "icetGL3DrawCallbackTexture");
    // stored as a generic function pointer
    initialised(context, "icetGL3DrawCallbackTexture").settings.gl_draw =
        reinterpret_cast<Function>(callback);
  });
}

IceTImage icetGL3DrawFrame(const IceTDouble* projection_matrix, const IceTDouble* modelview_matrix) {
  return entry(icetImageNull(), [&](IceTContextStruct& context) {
    not_while_drawing(context, "icetGL3DrawFrame");
    const Settings& settings = context.settings;
    std::optional<Framebuffer> target;
    FrameRequest request{projection_matrix, modelview_matrix, nullptr, nullptr, nullptr, {}};
    request.problem = problem_in([&] {  // reported to all ranks in the frame
      initialised(context, "icetGL3DrawFrame");
      target.emplace(settings.physical_width, settings.physical_height,
                     settings.colour_format == ICET_IMAGE_COLOR_RGBA_UBYTE);
    });
    if (target && settings.gl_draw != nullptr) request.draw = draw;
    const Targeted targeted(target ? &*target : nullptr);
    return make_frame(context, request);
  });
}
