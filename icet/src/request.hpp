// Requests: the parameters of a frame, and the check that they agree on all ranks.
#pragma once

#include <string>

#include "context.hpp"

namespace sortlast::icet {

// Pixels that a program has already drawn, of the size of the global viewport.
struct Given {
  const IceTVoid* colour = nullptr;
  const IceTVoid* depth = nullptr;
  Viewport valid = {};  // part of the pixels, from their lower left corner on
};

// The parameters of a frame. Matrices and background may be null.
struct FrameRequest {
  const IceTDouble* projection = nullptr;
  const IceTDouble* modelview = nullptr;
  const IceTFloat* background = nullptr;
  IceTDrawCallbackType draw = nullptr;  // the draw callback; null: there is none
  const Given* given = nullptr;         // instead of drawing
  std::string problem;                  // error of this rank before the frame; empty: none
};

// The error of an action before a frame, to be reported to all ranks; empty if there is none.
template <typename Action>
std::string problem_in(const Action& action) {
  try {
    action();
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

// The background requested for a frame.
Colour background_of(const FrameRequest& request);

// Check that all ranks request the same frame, and that none makes an invalid request; collective, in a
// meeting. Throws the same MismatchError or ArgumentError on all ranks, and then nothing has changed.
void agree_on(IceTContextStruct& context, const FrameRequest& request);

}  // namespace sortlast::icet
