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

constexpr std::size_t most_spans = 64;  // of a call: rows of a unit, as a rule

// Drop the first `bytes` of the spans.
std::span<RemoteSpan> rest(std::span<RemoteSpan> spans, std::size_t bytes) {
  while (!spans.empty()) {
    RemoteSpan& span = spans.front();
    const std::size_t part = std::min(bytes, span.bytes);
    span = {span.to + part, span.from + part, span.bytes - part};
    bytes -= part;
    if (span.bytes > 0) break;
    spans = spans.subspan(1);
  }
  return spans;
}

}  // namespace

void read_remote(std::int32_t process, std::span<RemoteSpan> spans) {
  for (spans = rest(spans, 0); !spans.empty();) {
    std::array<iovec, most_spans> to;
    std::array<iovec, most_spans> from;
    const std::size_t count = std::min(spans.size(), most_spans);
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = {spans[i].to, spans[i].bytes};
      // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer in the other process
      from[i] = {reinterpret_cast<void*>(spans[i].from), spans[i].bytes};
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
    spans = rest(spans, static_cast<std::size_t>(read));
  }
}

void ReadPlanes::offered(const void* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const auto known = std::find_if(planes_.begin(), planes_.end(), [&](const Plane& plane) {
    return plane.begin == begin && plane.bytes == bytes;
  });
  if (known == planes_.end()) {
    planes_[next_] = {begin, bytes, false};
    next_ = (next_ + 1) % planes_.size();
    return;
  }
  if (std::exchange(known->collapsed, true)) return;
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t end = (begin + bytes) / huge_page * huge_page;
  // Where the kernel refuses, nothing is lost.
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the first whole huge page of the plane
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, collapse_now);
}

#else

void ReadPlanes::offered(const void*, std::size_t) {}

void read_remote(std::int32_t process, std::span<RemoteSpan>) {
  throw Error("cannot read the memory of process " + std::to_string(process) + ": this needs Linux");
}

#endif

}  // namespace sortlast
