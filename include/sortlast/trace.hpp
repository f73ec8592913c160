// Trace: what a rank did and when, for the timelines.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

namespace sortlast {

enum class Activity : std::uint8_t { agree, send, receive, wait, blend, gather };

std::string_view activity_name(Activity activity);

// Seconds on a clock that all processes of a host share.
double trace_clock();

struct Event {
  Activity activity = Activity::wait;
  double begin = 0;  // [s] of trace_clock()
  double end = 0;
  std::int32_t peer = -1;   // of a send or receive
  std::int32_t stage = -1;  // of a send, receive or gather
  std::int64_t bytes = 0;   // moved, or read by a blend
};

}  // namespace sortlast
