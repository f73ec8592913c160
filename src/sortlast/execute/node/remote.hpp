// Remote memory: reading that of another process of this machine through the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sortlast {

// The number by which other processes of this machine know this one.
std::int32_t this_process();

// `bytes` at `from`, an address in the other process, go to `to`.
struct RemoteSpan {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
};

// Copy the spans, any of which may be empty, in as few system calls as can be: one for 64 of them, as a rule.
// Uses `spans` up. Throws Error with the system's reason: without the right to debug the process, or where it
// has no such memory.
void read_remote(std::int32_t process, std::span<RemoteSpan> spans);

}  // namespace sortlast
