// Segments.
#include "sortlast/execute/node/segment.hpp"

#include <atomic>
#include <cerrno>
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

// Another process opens the owner's descriptor through /proc, which works if it may access the owner's
// descriptors (the same user; no ptrace rights are needed). Process IDs and descriptors are reused, and have
// other meanings in another container. The page after the data therefore identifies the segment and records
// whether its owner still holds it.
//
// A forked process inherits all mappings and descriptors of its parent but does not own the segments: it
// drops its mappings without notifying the processes that share them with the parent.

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

// Offset of the label.
std::size_t label_offset(std::uint64_t bytes) { return (bytes + page() - 1) / page() * page(); }

// Starts at random, so that two processes with the same ID in two containers differ.
std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial = [] {
    std::random_device random;
    return (std::uint64_t{random()} << 32) | random();
  }();
  return ++serial;
}

std::string reason() { return std::generic_category().message(errno); }

// A file in memory that cannot be executed, if the kernel can guarantee that (Linux 6.3); -1 with errno set.
int make_file() {
#ifdef MFD_NOEXEC_SEAL
  constexpr unsigned no_exec = MFD_NOEXEC_SEAL;
#else
  constexpr unsigned no_exec = 8;
#endif
  const int file = memfd_create("sortlast", MFD_CLOEXEC | no_exec);
  return file < 0 && errno == EINVAL ? memfd_create("sortlast", MFD_CLOEXEC) : file;
}

// A file descriptor that closes itself.
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

// Maps the data and the label; null with errno set on failure.
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

  // Open only a regular file of the right size: opening a device or a pipe may have side effects.
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

#else

Segment::Segment(std::size_t) { throw Error("shared segments exist on Linux only"); }
Segment::Segment(const SegmentName&) { throw Error("shared segments exist on Linux only"); }
bool Segment::closed() const { return true; }

#endif

}  // namespace sortlast
