// parallel_for: every number once, whatever the threads, and exceptions that come back.
#include "sortlast/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace sortlast::fabric {
namespace {

TEST(ParallelFor, CallsOncePerNumber) {
  for (const std::int32_t threads : {0, 1, 2, 7}) {
    for (const std::int64_t count : {0, 1, 2, 6, 7, 8, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
      parallel_for(count, [&](std::int64_t i) { ++calls[static_cast<std::size_t>(i)]; }, threads);
      for (const std::atomic<int>& number : calls) EXPECT_EQ(number, 1) << count << " on " << threads;
    }
  }
}

TEST(ParallelFor, ThrowsWhatACallThrows) {
  for (const std::int32_t threads : {1, 4}) {
    std::atomic<int> calls = 0;
    const auto fails = [&](std::int64_t i) {
      ++calls;
      if (i == 3) throw std::runtime_error("third");
    };
    EXPECT_THROW(parallel_for(100, fails, threads), std::runtime_error);
    if (threads == 1) {
      EXPECT_EQ(calls, 4);  // no new calls begin
    }
  }
}

}  // namespace
}  // namespace sortlast::fabric
