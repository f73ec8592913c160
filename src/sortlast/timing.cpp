// The clock of timelines, and the names of the activities that they show.
#include "sortlast/timing.hpp"

#include <array>
#include <chrono>

namespace sortlast {

std::string_view activity_name(Activity activity) {
  constexpr std::array<std::string_view, 7> names{"agree", "send",   "receive", "wait",
                                                  "blend", "gather", "search"};
  return names[static_cast<std::size_t>(activity)];
}

double trace_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sortlast
