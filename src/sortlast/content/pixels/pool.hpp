// Pool: aligned memory that is reused from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sortlast/image.hpp"

namespace sortlast {

class Pool {
 public:
  Pool();

  // At least `bytes` bytes, aligned to 64, uninitialised; null for 0 bytes. Returned with the last copy,
  // which may outlive the pool. Throws std::bad_alloc.
  Memory take(std::size_t bytes);

  // Start a frame: free memory that the last few frames did not need, and reset the peak.
  void begin_frame();

  // Bytes in use, and the peak since begin_frame().
  std::size_t taken() const;
  std::size_t peak() const;
  // Bytes kept for reuse.
  std::size_t idle() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// n uninitialised pixels in memory of the pool.
PixelBuffer take_pixels(Pool& pool, const Format& format, std::int64_t n);

}  // namespace sortlast
