// Microbenchmark: the time that this core takes to blend and to copy a byte that is in no cache.
#pragma once

#include <cstddef>
#include <vector>

#include "sortlast/content/pixels/pool.hpp"

namespace sortlast {

// A cold buffer ring: memory that is handed out cyclically, so that each piece has left the caches before it
// is handed out again.
class ColdBuffers {
 public:
  // At most `bytes` bytes, and no more than can be written within `seconds` (at least least_bytes).
  // Throws std::bad_alloc.
  ColdBuffers(std::size_t bytes, double seconds);

  static constexpr std::size_t least_bytes = std::size_t{4} << 20;

  // The least recently used piece of `bytes` bytes (up to least_bytes), aligned to 64 bytes.
  std::byte* next(std::size_t bytes);

  std::size_t size() const { return size_; }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  std::size_t size_ = 0;
  std::size_t at_ = 0;
};

// See Machine.
struct CoreTimes {
  double gamma_read = 0;   // [s/byte]
  double gamma_write = 0;  // [s/byte]
  double copy = 0;         // [s/byte]
};

// Measure for about `seconds` with pieces of `memory`, in processor time: the work of other processes on this
// core does not count.
CoreTimes measure_core(ColdBuffers& memory, double seconds);

// Processor time consumed by this thread [s].
double thread_seconds();

// The value below which `share` (0 to 1) of the values lie; `values` must not be empty.
double quantile(std::vector<double> values, double share);

}  // namespace sortlast
