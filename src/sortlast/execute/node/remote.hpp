// Remote memory: reading that of another process of this machine through the kernel.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sortlast {

// The number by which other processes of this machine know this one.
std::int32_t this_process();

// `bytes` at `from`, an address in the other process, go to `to`.
struct RemoteSpan {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::size_t bytes = 0;
};

// Copy both spans (either may be empty) in as few system calls as can be: one, as a rule. Throws Error with
// the system's reason: without the right to debug the process, or where it has no such memory.
void read_remote(std::int32_t process, std::array<RemoteSpan, 2> spans);

}  // namespace sortlast
