// Process memory.
#include "sortlast/execute/node/process_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "sortlast/error.hpp"

#ifdef __linux__
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#endif

namespace sortlast {

// ---- That of another process, through the kernel --------------------------------------------------

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

// ---- That of this one, as /proc/self/maps has it --------------------------------------------------

namespace {

struct Mapping {
  AddressRange range;
  std::string permissions;  // "rw-p"
  dev_t device = 0;
  std::uint64_t inode = 0;  // 0: no file
  std::string name;
};

// The mappings of this process that touch a range, in the order of their addresses.
std::vector<Mapping> mappings(const AddressRange& range) {
  std::ifstream maps("/proc/self/maps");
  if (!maps) throw Error("cannot read /proc/self/maps");
  std::vector<Mapping> found;
  for (std::string line; std::getline(maps, line);) {
    Mapping mapping;
    std::array<char, 8> permissions{};
    unsigned device_major = 0;
    unsigned device_minor = 0;
    int name_at = 0;
    // NOLINTNEXTLINE(bugprone-unchecked-string-to-number-conversion): the kernel writes these numbers
    const int fields = std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %7s %*x %x:%x %" SCNu64 " %n",
                                   &mapping.range.begin, &mapping.range.end, permissions.data(),
                                   &device_major, &device_minor, &mapping.inode, &name_at);
    if (fields != 6) throw Error("cannot read /proc/self/maps: unexpected line \"" + line + "\"");
    if (mapping.range.end <= range.begin || mapping.range.begin >= range.end) continue;
    mapping.permissions = permissions.data();
    mapping.device = makedev(device_major, device_minor);
    mapping.name = line.substr(static_cast<std::size_t>(name_at));
    found.push_back(mapping);
  }
  return found;
}

// The stack of the thread that asks.
AddressRange own_stack() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &lowest, &bytes);
  pthread_attr_destroy(&attributes);
  const auto begin = reinterpret_cast<std::uintptr_t>(lowest);
  return {begin, begin + bytes};
}

// What is wrong with a mapping; empty: nothing. Some allocators give theirs a name of this kind.
std::string fault_of(const Mapping& mapping) {
  const bool stack = mapping.name.find("stack") != std::string::npos;
  const bool named = mapping.name.empty() || mapping.name == "[heap]" || mapping.name.starts_with("[anon:");
  if (stack) return "is on a stack";
  if (mapping.permissions != "rw-p" || mapping.inode != 0 || !named)
    return "lies in a mapping of " + (mapping.name.empty() ? std::string("no file") : mapping.name) + " (" +
           mapping.permissions + ")";
  return "";
}

}  // namespace

void check_private(const std::byte* data, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const auto refuse = [&](std::uintptr_t address, const std::string& what) {
    std::ostringstream out;
    out << "memory to register " << what << " at 0x" << std::hex << address
        << "; expected ordinary private memory, as malloc, new and NumPy give";
    throw ArgumentError(out.str());
  };
  if (bytes > std::numeric_limits<std::uintptr_t>::max() - begin) refuse(begin, "has no end");
  const AddressRange range{begin, begin + bytes};
  const AddressRange stack = own_stack();
  if (range.begin < stack.end && stack.begin < range.end) refuse(begin, "is on a stack");

  std::uintptr_t checked = range.begin;
  for (const Mapping& mapping : mappings(range)) {
    if (mapping.range.begin > checked) break;
    const std::string fault = fault_of(mapping);
    if (!fault.empty()) refuse(checked, fault);
    checked = mapping.range.end;
  }
  if (checked < range.end) refuse(checked, "does not exist");
}

std::vector<AddressRange> mapped_parts(int file, const std::byte* data, std::size_t bytes) {
  struct stat wanted{};
  if (fstat(file, &wanted) != 0) throw Error("cannot look at the file of a segment: fstat");
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const AddressRange range{begin, begin + bytes};
  std::vector<AddressRange> parts;
  for (const Mapping& mapping : mappings(range)) {
    if (mapping.inode != wanted.st_ino || mapping.device != wanted.st_dev) continue;
    parts.push_back({std::max(mapping.range.begin, range.begin), std::min(mapping.range.end, range.end)});
  }
  return parts;
}

#else

void ReadPlanes::offered(const void*, std::size_t) {}

void read_remote(std::int32_t process, std::span<RemoteSpan>) {
  throw Error("cannot read the memory of process " + std::to_string(process) + ": this needs Linux");
}

void check_private(const std::byte*, std::size_t) {}
std::vector<AddressRange> mapped_parts(int, const std::byte*, std::size_t) { return {}; }

#endif

}  // namespace sortlast
