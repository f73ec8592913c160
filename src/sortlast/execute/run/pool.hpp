// Pool: aligned memory that is used again from frame to frame.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sortlast/image.hpp"

namespace sortlast {

class Pool {
 public:
  Pool();

  // At least `bytes` bytes, aligned to 64, not initialised; null for 0 bytes. It goes back when the last copy
  // is gone, which may outlive the pool. Throws std::bad_alloc.
  Memory take(std::size_t bytes);

  // Start a frame: free what the last few frames did not need, and count the peak anew.
  void begin_frame();

  // Bytes taken and not yet given back, and the most that was since begin_frame().
  std::size_t taken() const;
  std::size_t peak() const;
  // Bytes held to be taken again.
  std::size_t idle() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// n pixels in memory of the pool, not initialised.
PixelBuffer take_pixels(Pool& pool, const Format& format, std::int64_t n);

}  // namespace sortlast
