// Registration.
//
// The contents are copied to a new segment, of which whole pages are then mapped over the caller's own. Both
// ways the new pages are complete before one system call puts them in the place of the old ones, so that who
// reads meanwhile sees no difference; what is written meanwhile is lost.
//
// Rejected: to take the pages at the edges too. Others hold the rest of those: their writes of the moment
// would be lost, and a heap's own records would be shared with a forked process.
#include "sortlast/execute/node/registration.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/address_space.hpp"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace sortlast {

#ifdef __linux__

namespace {

std::uintptr_t page() {
  static const auto bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::uintptr_t page_below(std::uintptr_t address) { return address / page() * page(); }
std::uintptr_t address_of(const std::byte* data) { return reinterpret_cast<std::uintptr_t>(data); }

// Bytes of the whole pages in [begin, begin + bytes), of which the first starts `to_first` bytes behind
// begin.
std::size_t whole_pages(const std::byte* begin, std::size_t bytes, std::size_t to_first) {
  const std::uintptr_t first = address_of(begin) + to_first;
  const std::uintptr_t end = page_below(address_of(begin) + bytes);
  return end > first ? end - first : 0;
}

// Bytes of the segment, once the memory is known to be of the right kind.
std::size_t segment_bytes(const std::byte* data, std::size_t bytes) {
  check_private(data, bytes);
  return address_of(data) % page() + bytes;
}

// From an address to the next page.
std::size_t to_next_page(const std::byte* data) { return (page() - address_of(data) % page()) % page(); }

}  // namespace

RegisteredMemory::RegisteredMemory(std::byte* data, std::size_t bytes)
    : data_(data),
      bytes_(bytes),
      offset_(address_of(data) % page()),
      whole_(data + to_next_page(data)),
      whole_bytes_(whole_pages(data, bytes, to_next_page(data))),
      segment_(segment_bytes(data, bytes)) {
  std::memcpy(segment_.data() + offset_, data_, bytes_);
  if (whole_bytes_ == 0) return;
  const auto begin = static_cast<off_t>(offset_ + to_next_page(data_));
  if (mmap(whole_, whole_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment_.name().file,
           begin) == MAP_FAILED) {
    throw Error("cannot register " + std::to_string(bytes) +
                " bytes: mmap: " + std::generic_category().message(errno));
  }
}

RegisteredMemory::~RegisteredMemory() {
  if (whole_bytes_ == 0) return;
  void* const taken = mmap(nullptr, whole_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (taken == MAP_FAILED) return;
  auto* const fresh = static_cast<std::byte*>(taken);
  std::size_t done = 0;  // bytes of `fresh` that were put in place or unmapped
  try {
    for (const AddressRange& part : mapped_parts(segment_.name().file, whole_, whole_bytes_)) {
      const std::size_t first = part.begin - address_of(whole_);
      const std::size_t bytes = part.end - part.begin;
      if (first > done) munmap(fresh + done, first - done);
      done = first;
      std::memcpy(fresh + first, whole_ + first, bytes);
      if (mremap(fresh + first, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, whole_ + first) == MAP_FAILED)
        break;
      done = first + bytes;
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch): no memory to look, so what is shared stays so
  }
  if (done < whole_bytes_) munmap(fresh + done, whole_bytes_ - done);
}

void RegisteredMemory::refresh() const {
  const std::size_t before = whole_bytes_ == 0 ? bytes_ : static_cast<std::size_t>(whole_ - data_);
  const std::size_t behind = before + whole_bytes_;
  std::memcpy(segment_.data() + offset_, data_, before);
  std::memcpy(segment_.data() + offset_ + behind, data_ + behind, bytes_ - behind);
}

#else

RegisteredMemory::RegisteredMemory(std::byte*, std::size_t bytes) : segment_(bytes) {}
RegisteredMemory::~RegisteredMemory() = default;
void RegisteredMemory::refresh() const {}

#endif

}  // namespace sortlast
