// The heap of this test program, counted, and empty if a test wants it so.
#pragma once

#include <cstdint>

namespace sortlast::testing {

// Blocks taken by operator new since the program began, in all threads.
std::int64_t blocks_taken();
// What blocks of operator new have now, in all threads.
std::int64_t bytes_in_use();

// While one of these lives, operator new throws std::bad_alloc in this thread.
class NoMemory {
 public:
  NoMemory();
  ~NoMemory();
  NoMemory(const NoMemory&) = delete;
  NoMemory& operator=(const NoMemory&) = delete;
};

}  // namespace sortlast::testing
