// The functions of OpenGL that the layers over it need, looked up in the running program. The library is
// linked with no OpenGL, so that it works with any implementation that the program draws with (a window's,
// EGL's, Mesa's off-screen one), or with none.
#pragma once

#include <string>

#include "context.hpp"
#include "image.hpp"

namespace sortlast::icet::gl {

// Constants with the values of the specification.
constexpr unsigned color_buffer_bit = 0x4000;
constexpr unsigned depth_buffer_bit = 0x100;
constexpr unsigned texture_bit = 0x40000;
constexpr unsigned viewport = 0x0BA2;
constexpr unsigned color_clear_value = 0x0C22;
constexpr unsigned projection_matrix = 0x0BA7;
constexpr unsigned modelview_matrix = 0x0BA6;
constexpr unsigned projection = 0x1701;
constexpr unsigned modelview = 0x1700;
constexpr unsigned pack_row_length = 0x0D02;
constexpr unsigned rgb = 0x1907;
constexpr unsigned rgba = 0x1908;
constexpr unsigned depth_component = 0x1902;
constexpr unsigned unsigned_byte = 0x1401;
constexpr unsigned float_ = 0x1406;
constexpr unsigned blend = 0x0BE2;
constexpr unsigned texture_2d = 0x0DE1;
constexpr unsigned one = 1;
constexpr unsigned one_minus_src_alpha = 0x0303;

// A function of OpenGL by name. Throws a Failure if the program has no such function.
void* find(const char* name);

// call<void(unsigned)>("glClear", bits)
template <typename Signature, typename... Arguments>
auto call(const char* name, Arguments... arguments) {
  // result of dlsym()
  return reinterpret_cast<Signature*>(find(name))(arguments...);
}

// Read the window of the drawn frame with lower left corner `from` (x, y) into the region `readback` of the
// image, and count the time as reading.
void read_pixels(IceTContextStruct& context, IceTInt x, IceTInt y, const IceTInt* readback, Image& image);

}  // namespace sortlast::icet::gl
