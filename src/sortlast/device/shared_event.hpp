// SharedEvent: an event that other processes wait for.
#pragma once

#include "sortlast/device/stream.hpp"

namespace sortlast::device {

// The event is never destroyed while the process lives: others may have yet to open it, or their streams to
// wait for it, and CUDA leaves undefined what becomes of them. The next SharedEvent of the GPU takes it over.
class SharedEvent {
 public:
  explicit SharedEvent(const Context& context);
  SharedEvent(const SharedEvent&) = delete;
  SharedEvent& operator=(const SharedEvent&) = delete;
  ~SharedEvent();

  const Event* operator->() const { return &event_; }

 private:
  int gpu_;
  Event event_;
};

}  // namespace sortlast::device
