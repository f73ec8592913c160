// Process memory: reading that of another process of this machine through the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sortlast/error.hpp"

namespace sortlast {

// The number by which other processes of this machine know this one.
std::int32_t this_process();

// `bytes` at `from`, an address in the other process, go to `to`.
struct RemoteSpan {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
};

// The process whose memory was to be read has ended.
class ProcessEnded : public Error {
 public:
  using Error::Error;
};

// Copy the spans, any of which may be empty, in as few system calls as can be: one for 64 of them, as a rule.
// Uses `spans` up. Throws ProcessEnded, or Error with the system's reason: without the right to debug the
// process, or where it has no such memory.
void read_remote(std::int32_t process, std::span<RemoteSpan> spans);

// Memory of this process that others read in every frame. The kernel copies it faster from huge pages, so
// what is offered a second time is put on such, once, where that can be done at once and within the memory
// itself (Linux 6.1, MADV_COLLAPSE). Neither addresses nor contents change.
class ReadPlanes {
 public:
  void offered(const void* data, std::size_t bytes);

 private:
  struct Plane {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool collapsed = false;
  };
  std::array<Plane, 4> planes_;  // the last ones: colour and depth of two images
  std::size_t next_ = 0;         // the one to forget
};

}  // namespace sortlast
