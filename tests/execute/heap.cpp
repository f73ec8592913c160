// The operators stand before the library's own, for all of this program.
#include "execute/heap.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> blocks;
thread_local bool out_of_memory = false;

}  // namespace

void* operator new(std::size_t bytes) {
  ++blocks;
  void* const memory = out_of_memory ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sortlast::testing {

std::int64_t blocks_taken() { return blocks; }
NoMemory::NoMemory() { out_of_memory = true; }
NoMemory::~NoMemory() { out_of_memory = false; }

}  // namespace sortlast::testing
