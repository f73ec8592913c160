// Contexts: the settings that a program makes, what is known of the frame, and what frames are made with.
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

// What a program sets. icetCopyState() copies it but for the part below the line.
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
  std::optional<IceTEnum> read_buffer;  // of OpenGL, once that was initialised
  bool gl3 = false;                     // OpenGL 3 was initialised
  Function gl_draw = nullptr;           // of whichever OpenGL
  // ---- of the ranks of its communicator
  std::vector<IceTInt> order;  // front to back
  std::vector<IceTInt> group;  // that holds the same data, this rank among it

  bool on(IceTEnum name) const { return enabled[name - ICET_STATE_ENABLE_START]; }
  void turn(IceTEnum name, bool state) { enabled[name - ICET_STATE_ENABLE_START] = state; }
  bool is_ordered() const;  // whether the composite order holds
};

// Seconds of a frame on this rank.
struct Times {
  double render = 0;
  double read = 0;
  double write = 0;
  double compress = 0;
  double blend = 0;
  double collect = 0;
  double late = 0;  // in which this rank waited for others to draw
  double total = 0;
  std::int64_t bytes_sent = 0;

  double composite() const { return total - render - read - write; }
};

// The frame that is drawn, or the last one.
struct FrameState {
  bool drawing = false;
  bool pre_rendered = false;
  IceTDrawCallbackType draw = nullptr;
  Image* target = nullptr;  // in which the callback draws now
  Matrix projection = identity;
  Matrix modelview = identity;
  Colour background = {};        // that the frame was asked for with
  Colour drawn_background = {};  // that the callback gets
  bool corrects_background = false;
  Viewport contained = {};  // in which this rank draws
  double near = 1;          // of its bounds
  double far = -1;
  std::vector<IceTBoolean> mask;   // tiles in which it draws
  std::vector<IceTBoolean> masks;  // of all ranks, rank by rank
  Viewport rendered = {};          // what the last callback drew
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
  int number;  // of those that this process has made
  sortlast::icet::Settings settings;
  sortlast::icet::FrameState frame;
  std::int64_t heard = 0;                          // the last of the calls that began anew
  bool agreed = false;                             // all ranks have come to the call that is made now
  std::int64_t calls = 0;                          // collective ones of this rank
  std::optional<sortlast::Compositor> compositor;  // since the first of them, while it can be used
  double limit = 0;                                // of its waits [s]
  bool in_step = false;                            // all ranks have come to the same calls since it was made
  std::optional<IceTInt> agreed_colour;            // of that group, if it was asked for by one
  std::vector<IceTInt> agreed_group;               // with which that of all other ranks agrees
  bool alone = true;                               // of all ranks, none is on another machine
  std::vector<sortlast::icet::Image> drawn;        // by the callback; a tile's, or the floating one
  std::vector<sortlast::icet::Image> cut;          // of these, what belongs into a tile
  sortlast::icet::Image result;
};

namespace sortlast::icet {

// The current context; a Failure (no context is current) if there is none.
IceTContextStruct& current();
// The same, or null.
IceTContextStruct* current_if_any();

void make_current(IceTContextStruct& context);

// The image of a context that exists, or null for the null image. Throws a Failure for anything else.
Image* existing_image(const IceTImage& face);

// Throws a Failure in a draw callback: what a frame is made of stays as it is while the frame is made.
void not_while_drawing(const IceTContextStruct& context, const char* call);

// The number of the tile that this rank displays, or -1.
IceTInt displayed_tile(const IceTContextStruct& context);
// The rectangle round all tiles.
Viewport global_viewport(const Settings& settings);

// Run what an entry point of the interface does with the current context. What it throws is raised as an
// error, and `otherwise` is returned.
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
