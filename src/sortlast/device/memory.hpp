// Memory of a GPU and pinned memory of the host, copies, and the kind of memory behind a pointer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "sortlast/device/stream.hpp"

namespace sortlast::device {

// Memory that is released with its last copy, as Memory of image.hpp.
using Owned = std::shared_ptr<std::byte>;

// `bytes` (1 or more) in the GPU's memory, aligned to 256 bytes, which other processes can open. The host
// cannot read it. Throws Error.
Owned allocate(const Context& context, std::size_t bytes);

// The same in pinned memory of the host, which the GPU copies from and to at full speed, without the host.
Owned allocate_pinned(const Context& context, std::size_t bytes);

// The same as allocate(), filled with zeros; null for 0 bytes.
Owned zeros(const Context& context, std::size_t bytes);

// Pin memory of the host until the last copy of the result is gone; the memory must exist until then. Throws
// Error, also if part of it is pinned already.
Owned pin(const Context& context, void* memory, std::size_t bytes);

// Add a copy to the stream, between any two kinds of memory, or a fill with one byte. The memory must exist
// until it is complete.
void copy(const Stream& stream, void* to, const void* from, std::size_t bytes);
void fill(const Stream& stream, void* to, std::byte value, std::size_t bytes);

// Where a pointer leads. The host can read managed memory too, and kernels pinned one.
enum class Kind { host, pinned, device, managed };

struct PointerInfo {
  Kind kind = Kind::host;  // of unknown pointers, too
  int ordinal = -1;        // of the GPU; -1 for host
  // The allocation that it leads into, for device and managed memory.
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  std::uint64_t buffer = 0;  // unique over all allocations of the process, also if an address is used again
  bool shareable = false;    // whether other processes can open the allocation
};

// Throws Error without a driver.
PointerInfo inspect(const void* pointer);

// The GPU whose memory a pointer leads to. Throws ArgumentError if it is not memory of a GPU, Error without a
// driver.
int ordinal_of(const void* pointer);

}  // namespace sortlast::device
