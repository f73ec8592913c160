// Contexts: the settings made by a program, the state of the frame, and the resources for making frames.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "IceT.h"
#include "diagnostics.hpp"
#include "image.hpp"
#include "sortlast/compositor.hpp"

namespace sortlast::icet {

// {x, y, width, height} [pixels].
using Viewport = std::array<IceTInt, 4>;
using Matrix = std::array<double, 16>;  // column by column
using Colour = std::array<float, 4>;

constexpr Matrix identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

struct TileOfDisplay {
  Viewport viewport;
  IceTInt rank;  // that displays it
};

using Function = void (*)();  // a callback of any type

// The settings of a program. icetCopyState() copies all of them except those below the line.
struct Settings {
  IceTBitField diagnostics = ICET_DIAG_ALL_NODES | ICET_DIAG_WARNINGS;
  IceTEnum colour_format = ICET_IMAGE_COLOR_RGBA_UBYTE;
  IceTEnum depth_format = ICET_IMAGE_DEPTH_FLOAT;
  std::vector<TileOfDisplay> tiles;
  IceTInt physical_width = 0;
  IceTInt physical_height = 0;
  std::vector<std::array<double, 3>> bounds;  // vertices
  IceTEnum strategy = ICET_STRATEGY_UNDEFINED;
  IceTEnum single_image_strategy = ICET_SINGLE_IMAGE_STRATEGY_AUTOMATIC;
  IceTEnum mode = ICET_COMPOSITE_MODE_Z_BUFFER;
  IceTDrawCallbackType draw = nullptr;
  std::array<bool, ICET_STATE_ENABLE_END - ICET_STATE_ENABLE_START> enabled = {};
  std::optional<IceTEnum> read_buffer;  // for OpenGL, once initialised
  bool gl3 = false;                     // OpenGL 3 was initialised
  Function gl_draw = nullptr;           // for either OpenGL
  // ---- specific to the ranks of the communicator
  std::vector<IceTInt> order;  // front to back
  std::vector<IceTInt> group;  // ranks with the same data, including this one

  bool on(IceTEnum name) const { return enabled[name - ICET_STATE_ENABLE_START]; }
  void turn(IceTEnum name, bool state) { enabled[name - ICET_STATE_ENABLE_START] = state; }
  bool is_ordered() const;  // whether the composite order applies
};

// Seconds of a frame on this rank.
struct Times {
  double render = 0;
  double read = 0;
  double write = 0;
  double compress = 0;
  double blend = 0;
  double collect = 0;
  double late = 0;  // time that this rank waited for others to draw
  double total = 0;
  std::int64_t bytes_sent = 0;

  double composite() const { return total - render - read - write; }
};

// The current frame, or the last one.
struct FrameState {
  bool drawing = false;
  bool pre_rendered = false;
  IceTDrawCallbackType draw = nullptr;
  Image* target = nullptr;  // the callback draws into this image now
  Matrix projection = identity;
  Matrix modelview = identity;
  Colour background = {};        // requested for the frame
  Colour drawn_background = {};  // passed to the callback
  bool corrects_background = false;
  Viewport contained = {};  // where this rank draws
  double near = 1;          // of the bounds
  double far = -1;
  std::vector<IceTBoolean> mask;   // tiles in which this rank draws
  std::vector<IceTBoolean> masks;  // of all ranks, rank by rank
  Viewport rendered = {};          // drawn by the last callback
  IceTInt valid_tile = -1;
  IceTInt valid_offset = 0;
  IceTInt valid_number = 0;
  IceTInt count = 0;
  Times times;
};

}  // namespace sortlast::icet

struct IceTContextStruct {
  explicit IceTContextStruct(IceTCommunicator duplicate);
  ~IceTContextStruct();
  IceTContextStruct(const IceTContextStruct&) = delete;
  IceTContextStruct& operator=(const IceTContextStruct&) = delete;

  IceTCommunicator communicator;
  int rank;
  int size;
  int number;  // counts the contexts of this process
  sortlast::icet::Settings settings;
  sortlast::icet::FrameState frame;
  std::int64_t heard = 0;                          // number of the last call that was repeated
  bool agreed = false;                             // all ranks have arrived at the current call
  std::int64_t calls = 0;                          // number of collective calls by this rank
  std::optional<sortlast::Compositor> compositor;  // made by the first collective call, while usable
  double limit = 0;                                // of the compositor's waits [s]
  bool in_step = false;                  // all ranks have made the same calls since the compositor was made
  std::optional<IceTInt> agreed_colour;  // of the agreed group, if a colour requested it
  std::vector<IceTInt> agreed_group;     // the group last compared with the other ranks' groups
  bool alone = true;                     // all ranks are on this machine
  std::vector<sortlast::icet::Image> drawn;  // drawn by the callback; one per tile, or the floating one
  std::vector<sortlast::icet::Image> cut;    // parts of these that belong to a tile
  sortlast::icet::Image result;
};

namespace sortlast::icet {

// The current context. Throws a Failure (no context is current) if there is none.
IceTContextStruct& current();
// The current context, or null.
IceTContextStruct* current_if_any();

void make_current(IceTContextStruct& context);

// The image of an existing context, or null for the null image. Throws a Failure for anything else.
Image* existing_image(const IceTImage& face);

// Throws a Failure in a draw callback, because settings must not change during a frame.
void not_while_drawing(const IceTContextStruct& context, const char* call);

// The number of the tile that this rank displays, or -1.
IceTInt displayed_tile(const IceTContextStruct& context);
// The rectangle around all tiles.
Viewport global_viewport(const Settings& settings);

// Run the body of an entry point with the current context. An exception is reported as an error, and
// `otherwise` is returned.
template <typename Result, typename Action>
Result entry(Result otherwise, const Action& action) {
  try {
    return action(current());
  } catch (...) {
    raise_current_exception();
    return otherwise;
  }
}
template <typename Action>
void entry(const Action& action) {
  entry(0, [&](IceTContextStruct& context) {
    action(context);
    return 0;
  });
}

}  // namespace sortlast::icet
