// Statistics: the report of a compositor's last frame, and the events of all frames.
#pragma once

#include <string>
#include <vector>

#include "sortlast/execute/mpi/exchange.hpp"
#include "sortlast/timing.hpp"

namespace sortlast {

struct Statistics {
  Timing timing;
  Traffic traffic;
  bool recording = false;  // events
  std::vector<Event> events;
  double agreeing_since = 0;    // [s of trace_clock()]
  std::string boxes_explained;  // how several images per rank were composited; empty: not the case
  bool layered = false;         // the last frame was of contents of varying size

  void record(const Event& event) {
    if (recording) events.push_back(event);
  }
};

}  // namespace sortlast
