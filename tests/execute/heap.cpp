// The operators stand before the library's own, for all of this program.
#include "execute/heap.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> blocks;
std::atomic<std::int64_t> bytes_now;
thread_local bool out_of_memory = false;

}  // namespace

void* operator new(std::size_t bytes) {
  ++blocks;
  void* const memory = out_of_memory ? nullptr : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  bytes_now += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  try {
    return operator new(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  bytes_now -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

namespace sortlast::testing {

std::int64_t blocks_taken() { return blocks; }
std::int64_t bytes_in_use() { return bytes_now; }
NoMemory::NoMemory() { out_of_memory = true; }
NoMemory::~NoMemory() { out_of_memory = false; }

}  // namespace sortlast::testing
