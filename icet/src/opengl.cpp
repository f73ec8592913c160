#include "opengl.hpp"

#include <dlfcn.h>

namespace sortlast::icet::gl {

void* find(const char* name) {
  if (void* function = dlsym(RTLD_DEFAULT, name)) return function;
  throw Failure(ICET_INVALID_OPERATION, std::string("the program has no OpenGL with ") + name +
                                            "; make its context before IceT's OpenGL layer is used");
}

void read_pixels(IceTContextStruct& context, IceTInt x, IceTInt y, const IceTInt* readback, Image& image) {
  using Read = void(int, int, int, int, unsigned, unsigned, void*);
  const double begin = icetWallTime();
  const auto width = static_cast<int>(image.size.width);
  const Format format = format_of(image.colour_format, image.depth_format);
  const Pixels place = advance(image.pixels.view(), format, readback[1] * image.size.width + readback[0]);
  call<void(unsigned, int)>("glPixelStorei", pack_row_length, width);
  const auto read = [&](unsigned what, unsigned type, void* to) {
    call<Read>("glReadPixels", x + readback[0], y + readback[1], readback[2], readback[3], what, type, to);
  };
  if (image.colour_format != ICET_IMAGE_COLOR_NONE)
    read(format.channels == 3 ? rgb : rgba, format.scalar == Scalar::uint8 ? unsigned_byte : float_,
         place.colour);
  if (format.depth) read(depth_component, float_, place.depth);
  call<void(unsigned, int)>("glPixelStorei", pack_row_length, 0);
  context.frame.times.read += icetWallTime() - begin;
}

}  // namespace sortlast::icet::gl
