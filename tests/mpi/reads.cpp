// What the kernel does with reads of other processes' memory.
#include "mpi/reads.hpp"

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

namespace sortlast::testing {
namespace {

std::atomic<Reads> reads = Reads::as_they_are;

}  // namespace

void set_reads(Reads which) { reads = which; }

}  // namespace sortlast::testing

// Stands before the C library's.
extern "C" ssize_t process_vm_readv(pid_t process, const iovec* to, unsigned long to_count, const iovec* from,
                                    unsigned long from_count, unsigned long flags) {
  using sortlast::testing::most_bytes;
  using sortlast::testing::Reads;
  const Reads which = sortlast::testing::reads;
  if (which == Reads::forbidden) {
    errno = EPERM;
    return -1;
  }
  iovec part{};
  if (which == Reads::short_ones) {
    for (unsigned long i = 0; i < to_count && part.iov_len == 0; ++i)
      part = {to[i].iov_base, std::min(to[i].iov_len, most_bytes)};
    to = &part;
    to_count = 1;
  }
  return syscall(SYS_process_vm_readv, process, to, to_count, from, from_count, flags);
}
