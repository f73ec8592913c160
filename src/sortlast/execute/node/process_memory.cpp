// Process memory.
#include "sortlast/execute/node/process_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "sortlast/error.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <sys/uio.h>
#endif

namespace sortlast {

std::int32_t this_process() { return getpid(); }

#ifdef __linux__

namespace {

constexpr std::uintptr_t huge_page = std::uintptr_t{1} << 21;
constexpr int collapse_now = 25;  // MADV_COLLAPSE, which older headers lack

constexpr std::size_t max_copies = 64;  // per call: usually the rows of a unit

// Drop the first `bytes` of the copies.
std::span<RemoteCopy> rest(std::span<RemoteCopy> copies, std::size_t bytes) {
  while (!copies.empty()) {
    RemoteCopy& copy = copies.front();
    const std::size_t part = std::min(bytes, copy.bytes);
    copy = {copy.to + part, copy.from + part, copy.bytes - part};
    bytes -= part;
    if (copy.bytes > 0) break;
    copies = copies.subspan(1);
  }
  return copies;
}

}  // namespace

void read_remote(std::int32_t process, std::span<RemoteCopy> copies) {
  for (copies = rest(copies, 0); !copies.empty();) {
    std::array<iovec, max_copies> to;
    std::array<iovec, max_copies> from;
    const std::size_t count = std::min(copies.size(), max_copies);
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = {copies[i].to, copies[i].bytes};
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer in the other process
      from[i] = {reinterpret_cast<void*>(copies[i].from), copies[i].bytes};
    }
    const ssize_t read = process_vm_readv(process, to.data(), count, from.data(), count, 0);
    const int reason = errno;
    if (read == 0 || (read < 0 && reason == ESRCH))
      throw ProcessEnded("process " + std::to_string(process) + " is no more");
    if (read < 0) {
      throw Error("cannot read the memory of process " + std::to_string(process) +
                  ": process_vm_readv: " + std::generic_category().message(reason));
    }
    // The kernel stops after 2 GiB, or where a page cannot be read.
    copies = rest(copies, static_cast<std::size_t>(read));
  }
}

void HugePages::published(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const auto known = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& span) {
    return span.begin == begin && span.bytes == bytes;
  });
  if (known == seen_.end()) {
    seen_[next_] = {begin, bytes, false};
    next_ = (next_ + 1) % seen_.size();
    return;
  }
  if (std::exchange(known->collapsed, true)) return;
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (begin + bytes) / huge_page * huge_page;
  // If the kernel refuses, nothing is lost.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the first whole huge page of the span
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, collapse_now);
}

#else

void HugePages::published(const void*, std::size_t) {}

void read_remote(std::int32_t process, std::span<RemoteCopy>) {
  throw Error("cannot read the memory of process " + std::to_string(process) + ": this needs Linux");
}

#endif

}  // namespace sortlast
