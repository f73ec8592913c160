#include "sortlast/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sortlast::fabric {

void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body, std::int32_t threads) {
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };

  // The calling thread is one of them.
  std::int64_t team = threads > 0 ? threads : static_cast<std::int64_t>(std::thread::hardware_concurrency());
  team = std::clamp<std::int64_t>(team, 1, std::max<std::int64_t>(count, 1));
  {
    std::vector<std::jthread> helpers;
    for (std::int64_t t = 1; t < team; ++t) {
      try {
        helpers.emplace_back(work);
      } catch (const std::system_error&) {
        team = t;  // the system has no more threads: these do it all
      }
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace sortlast::fabric
