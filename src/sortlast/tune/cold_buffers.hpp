// ColdBuffers: memory that is handed out round and round, so that what is handed out has left the caches.
#pragma once

#include <cstddef>

#include "sortlast/execute/run/pool.hpp"

namespace sortlast {

class ColdBuffers {
 public:
  // At most `bytes` bytes, and no more than can be written within `seconds` (at least least_bytes).
  // Throws std::bad_alloc.
  ColdBuffers(std::size_t bytes, double seconds);

  static constexpr std::size_t least_bytes = std::size_t{4} << 20;

  // The piece of `bytes` bytes (up to least_bytes) that was handed out the longest time ago, aligned to 64.
  std::byte* next(std::size_t bytes);

  std::size_t size() const { return size_; }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
};

}  // namespace sortlast
