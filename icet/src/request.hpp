// Requests: what a frame is asked for with, and that all ranks ask for the same.
#pragma once

#include <string>

#include "context.hpp"

namespace sortlast::icet {

// Pixels that a program has drawn already, of the size of the global viewport.
struct Given {
  const IceTVoid* colour = nullptr;
  const IceTVoid* depth = nullptr;
  Viewport valid = {};  // of them, from their lower left corner on
};

// What a frame is asked for with. Matrices and background may be null.
struct FrameRequest {
  const IceTDouble* projection = nullptr;
  const IceTDouble* modelview = nullptr;
  const IceTFloat* background = nullptr;
  IceTDrawCallbackType draw = nullptr;  // that draws; null: there is none
  const Given* given = nullptr;         // instead of drawing
  std::string problem;                  // that this rank met with before the frame; empty: none
};

// What goes wrong in an action that comes before a frame, of which all ranks are to hear; or nothing.
template <typename Action>
std::string problem_in(const Action& action) {
  try {
    action();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The background that a frame is asked for with.
Colour background_of(const FrameRequest& request);

// Check that all ranks ask for the same frame, and none for one that cannot be; collective, in a meeting.
// Throws the same MismatchError or ArgumentError on all of them, and then nothing has changed.
void agree_on(IceTContextStruct& context, const FrameRequest& request);

}  // namespace sortlast::icet
