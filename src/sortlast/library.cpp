// What the public headers declare and no room has: the version, and the clock and names of timelines.
#include <array>
#include <chrono>

#include "sortlast/timing.hpp"
#include "sortlast/version.hpp"

namespace sortlast {

const char* version() noexcept { return SORTLAST_VERSION; }

std::string_view activity_name(Activity activity) {
  constexpr std::array<std::string_view, 6> names{"agree", "send", "receive", "wait", "blend", "gather"};
  return names[static_cast<std::size_t>(activity)];
}

double trace_clock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace sortlast
