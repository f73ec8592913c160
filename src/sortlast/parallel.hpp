// Parallel: calls for numbers 0 .. count - 1, spread over the machine's cores.
#pragma once

#include <cstdint>
#include <functional>

namespace sortlast::fabric {

// Calls body(i) once for every i in [0, count), several at once and in any order, and returns when all have
// ended. Threads: 0: one a core. If calls throw, no new ones begin, and the first exception is thrown here.
void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body,
                  std::int32_t threads = 0);

}  // namespace sortlast::fabric
