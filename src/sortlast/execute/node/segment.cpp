// Segments, and memory of the caller that is registered as one.
#include "sortlast/execute/node/segment.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/process_memory.hpp"

#ifdef __linux__
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace sortlast {

// ---- Segments -------------------------------------------------------------------------------------
// Another process opens the owner's descriptor through /proc, which works where it may look at the owner's
// descriptors (the same user; no debugger's rights are needed). Numbers of processes and descriptors are used
// again, and mean something else in another container, so the page after the data tells what this segment is,
// and whether its owner still has it.
//
// A forked process has all mappings and descriptors of its parent, but the segments are not its own: it lets
// its mappings go, and says nothing to those that share them with the parent.

// The page after the data.
struct Segment::Label {
  std::uint64_t magic;
  std::uint64_t serial;
  std::atomic<std::uint32_t> closed;
};

#ifdef __linux__

namespace {

constexpr std::uint64_t magic = 0x746e656d67657320;
constexpr std::size_t huge_page = std::size_t{1} << 21;

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Where the label lies.
std::size_t label_offset(std::uint64_t bytes) { return (bytes + page() - 1) / page() * page(); }

// Starts at random, so that two processes that have the same number in two containers differ.
std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32) | random();
  }();
  return ++serial;
}

std::string reason() { return std::generic_category().message(errno); }

// A file in memory that nobody may execute, where the kernel can promise it (Linux 6.3); -1 with errno set.
int make_file() {
#ifdef MFD_NOEXEC_SEAL
  constexpr unsigned no_exec = MFD_NOEXEC_SEAL;
#else
  constexpr unsigned no_exec = 8;
#endif
  const int file = memfd_create("sortlast", MFD_CLOEXEC | no_exec);
  return file < 0 && errno == EINVAL ? memfd_create("sortlast", MFD_CLOEXEC) : file;
}

// Closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// The data and the label, or null with errno set.
std::byte* map(int file, std::uint64_t bytes) {
  const std::size_t all = label_offset(bytes) + page();
  void* const memory = mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (all >= huge_page) madvise(memory, all, MADV_HUGEPAGE);
  return static_cast<std::byte*>(memory);
}

void unmap(std::byte* memory, std::uint64_t bytes) { munmap(memory, label_offset(bytes) + page()); }

}  // namespace

Segment::Segment(std::size_t bytes) {
  const auto fail = [&](const char* step) {
    throw Error("cannot make a shared segment of " + std::to_string(bytes) + " bytes: " + step + ": " +
                reason());
  };
  File file(make_file());
  if (file.get() < 0) fail("memfd_create");
  if (ftruncate(file.get(), static_cast<off_t>(label_offset(bytes) + page())) != 0) fail("ftruncate");
  std::byte* const data = map(file.get(), bytes);
  if (data == nullptr) fail("mmap");

  name_ = {this_process(), file.get(), next_serial(), bytes};
  label_ = new (data + label_offset(bytes)) Label{magic, name_.serial, {}};
  memory_ = {data,
             [descriptor = file.release(), bytes, label = label_, owner = name_.process](std::byte* memory) {
               if (owner == this_process()) label->closed.store(1, std::memory_order_release);
               unmap(memory, bytes);
               close(descriptor);
             }};
}

Segment::Segment(const SegmentName& name) : name_(name) {
  const auto fail = [&](const std::string& why) {
    throw Error("cannot map the shared segment of " + std::to_string(name.bytes) + " bytes of process " +
                std::to_string(name.process) + ": " + why);
  };
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.file);

  // Open nothing but a file of the right size: to open a device or a pipe may have effects.
  const auto expected = static_cast<off_t>(label_offset(name.bytes) + page());
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) fail("stat of " + path + ": " + reason());
  if (!S_ISREG(found.st_mode) || found.st_size != expected) fail(path + " is something else by now");
  const File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) fail("open of " + path + ": " + reason());
  if (fstat(file.get(), &found) != 0 || found.st_size != expected) fail(path + " is something else by now");

  std::byte* const data = map(file.get(), name.bytes);
  if (data == nullptr) fail("mmap of " + path + ": " + reason());
  memory_ = {data, [bytes = name.bytes](std::byte* memory) { unmap(memory, bytes); }};
  label_ = std::launder(reinterpret_cast<Label*>(data + label_offset(name.bytes)));
  if (label_->magic != magic || label_->serial != name.serial) fail(path + " is another segment by now");
}

bool Segment::closed() const { return label_->closed.load(std::memory_order_acquire) != 0; }

// ---- Registered memory ----------------------------------------------------------------------------
// The contents are copied to a new segment, of which whole pages are then mapped over the caller's own. Both
// ways the new pages are complete before one system call puts them in the place of the old ones, so that who
// reads meanwhile sees no difference; what is written meanwhile is lost.
//
// Rejected: to take the pages at the edges too. Others hold the rest of those: their writes of the moment
// would be lost, and a heap's own records would be shared with a forked process.

namespace {

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

Segment::Segment(std::size_t) { throw Error("shared segments exist on Linux only"); }
Segment::Segment(const SegmentName&) { throw Error("shared segments exist on Linux only"); }
bool Segment::closed() const { return true; }

RegisteredMemory::RegisteredMemory(std::byte*, std::size_t bytes) : segment_(bytes) {}
RegisteredMemory::~RegisteredMemory() = default;
void RegisteredMemory::refresh() const {}

#endif

}  // namespace sortlast
