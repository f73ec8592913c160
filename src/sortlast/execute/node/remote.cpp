// Remote memory: reading that of another process of this machine through the kernel.
#include "sortlast/execute/node/remote.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "sortlast/error.hpp"

#include <unistd.h>
#ifdef __linux__
#include <sys/uio.h>
#endif

namespace sortlast {

std::int32_t this_process() { return getpid(); }

#ifdef __linux__

void read_remote(std::int32_t process, std::array<RemoteSpan, 2> spans) {
  while (spans[0].bytes + spans[1].bytes > 0) {
    std::array<iovec, 2> to{};
    std::array<iovec, 2> from{};
    for (std::size_t i = 0; i < spans.size(); ++i) {
      to[i] = {spans[i].to, spans[i].bytes};
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer in the other process
      from[i] = {reinterpret_cast<void*>(spans[i].from), spans[i].bytes};
    }
    const ssize_t read = process_vm_readv(process, to.data(), to.size(), from.data(), from.size(), 0);
    if (read <= 0) {
      throw Error("cannot read the memory of process " + std::to_string(process) + ": process_vm_readv: " +
                  (read == 0 ? "it ended early" : std::generic_category().message(errno)));
    }
    // The kernel stops after 2 GiB, or where a page cannot be read.
    auto left = static_cast<std::size_t>(read);
    for (RemoteSpan& span : spans) {
      const std::size_t part = std::min(left, span.bytes);
      span = {span.to + part, span.from + part, span.bytes - part};
      left -= part;
    }
  }
}

#else

void read_remote(std::int32_t process, std::array<RemoteSpan, 2>) {
  throw Error("cannot read the memory of process " + std::to_string(process) + ": this needs Linux");
}

#endif

}  // namespace sortlast
