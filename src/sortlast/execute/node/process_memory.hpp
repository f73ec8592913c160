// Process memory: reads the memory of another process of this machine through the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sortlast/error.hpp"

namespace sortlast {

// The process ID by which other processes of this machine know this one.
std::int32_t this_process();

// A copy of `bytes` from the address `from` in the other process to `to`.
struct RemoteCopy {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
};

// The process to be read has ended.
class ProcessEnded : public Error {
 public:
  using Error::Error;
};

// Perform copies, any of which may be empty, usually with one system call for 64 of them. Overwrites
// `copies`. Throws ProcessEnded, or Error with the system's reason: this process may not debug the other one,
// or the other one has no such memory.
void read_remote(std::int32_t process, std::span<RemoteCopy> copies);

// Private memory of this process that others read in every frame. The kernel copies faster from huge pages,
// so a span published for the second time is moved to huge pages once, if the kernel can do so in place
// (Linux 6.1, MADV_COLLAPSE). Neither its addresses nor its contents change.
class HugePages {
 public:
  void published(const void* data, std::size_t bytes);

 private:
  struct Seen {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool collapsed = false;
  };
  std::array<Seen, 4> seen_;  // the last spans: colour and depth of two images
  std::size_t next_ = 0;      // the one to replace
};

}  // namespace sortlast
