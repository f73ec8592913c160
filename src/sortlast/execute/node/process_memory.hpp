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
struct RemoteCopy {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
};

// The process whose memory was to be read has ended.
class ProcessEnded : public Error {
 public:
  using Error::Error;
};

// Perform copies, any of which may be empty, with one system call for 64 of them as a rule. Overwrites
// `copies`. Throws ProcessEnded, or Error with the system's reason: this process may not debug the other one,
// or that has no such memory.
void read_remote(std::int32_t process, std::span<RemoteCopy> copies);

// Private memory of this process that others read in every frame. The kernel copies faster from huge pages,
// so a span that is published for the second time is moved to huge pages once, if the kernel can do that in
// place (Linux 6.1, MADV_COLLAPSE). Neither addresses nor contents change.
class HugePages {
 public:
  void published(const void* data, std::size_t bytes);

 private:
  struct Seen {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool collapsed = false;
  };
  std::array<Seen, 4> seen_;  // the last ones: colour and depth of two images
  std::size_t next_ = 0;      // the one to forget
};

}  // namespace sortlast
