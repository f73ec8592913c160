// OpenGL, as far as the layers over it need it, found in the program that runs: the library is linked with
// none, so that it works with whichever the program draws with (a window's, EGL's, Mesa's off-screen one) and
// without any.
#pragma once

#include <string>

#include "context.hpp"
#include "image.hpp"

namespace sortlast::icet::gl {

// The values of the constants, as the specification has them.
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

// A function of OpenGL by name. Throws a Failure if the program has none of that name.
void* find(const char* name);

// call<void(unsigned)>("glClear", bits)
template <typename Signature, typename... Arguments>
auto call(const char* name, Arguments... arguments) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym() gives
  return reinterpret_cast<Signature*>(find(name))(arguments...);
}

// Read the window `from` (x, y of its lower left corner) of the frame that was drawn into the image where
// `readback` says, and count the time as reading.
void read_pixels(IceTContextStruct& context, IceTInt x, IceTInt y, const IceTInt* readback, Image& image);

}  // namespace sortlast::icet::gl
