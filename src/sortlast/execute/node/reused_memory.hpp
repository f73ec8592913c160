// Reused memory: memory that the other ranks of a node can read, reused from frame to frame.
#pragma once

#include <cstddef>

#include "sortlast/execute/node/node.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

class ReusedMemory {
 public:
  // At least `bytes`, at most four times as many. The contents are those left by the last use, or zeros,
  // which occupy no memory until they are written. The last use must be over. Throws Error.
  const Memory& take(std::size_t bytes, Node& node) {
    if (bytes > bytes_ || bytes < bytes_ / 4) {
      memory_ = node.allocate(bytes);
      bytes_ = bytes;
    }
    return memory_;
  }
  // The memory of the last use; null before the first.
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  std::size_t bytes_ = 0;
};

}  // namespace sortlast
