// Segment: memory that the other processes of a machine can map; and private memory of the caller that
// becomes one in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sortlast {

// What another process needs to map a segment. Plain bytes, so that it can lie in shared memory itself.
struct SegmentName {
  std::int32_t process = 0;  // 0: no segment
  std::int32_t file = -1;    // descriptor in that process
  std::uint64_t serial = 0;  // never used twice by a process
  std::uint64_t bytes = 0;

  bool operator==(const SegmentName&) const = default;
};

// An anonymous file in memory (memfd). It needs no name in a file system, no room in /dev/shm and no
// collective call, it can be freed whenever its owner likes, and nothing of it stays when its processes die.
class Segment {
 public:
  // A new segment of zeros, mapped here. Asks for huge pages. Throws Error with the system's reason.
  explicit Segment(std::size_t bytes);
  // A segment of another process (or of this one), mapped here. Throws Error: it is gone, or this process may
  // not open it.
  explicit Segment(const SegmentName& name);

  std::byte* data() const { return memory_.get(); }
  const SegmentName& name() const { return name_; }
  // Keeps the mapping, and at its owner the segment, for as long as a copy exists.
  const std::shared_ptr<std::byte>& memory() const { return memory_; }
  // Its owner has let it go: the memory is gone when the last process has unmapped it.
  bool closed() const;

 private:
  struct Label;

  SegmentName name_;
  std::shared_ptr<std::byte> memory_;
  Label* label_ = nullptr;  // after the data
};

// The bytes keep their address and contents, when they are registered and when that ends. Whole pages become
// the segment's own; those at the edges, of which others may hold a part, stay as they are, and what the
// range has of them is copied to the segment by refresh().
//
// The memory must be ordinary private memory without a file, as malloc, new and NumPy give, no thread's
// stack, and no thread may write to it meanwhile. It must not be given back, reallocated or registered
// elsewhere before the registration ends. A process that is forked shares the whole pages with its parent
// until either ends the registration.
class RegisteredMemory {
 public:
  // Throws ArgumentError if the memory is not of that kind, Error if there is no segment to be had.
  RegisteredMemory(std::byte* data, std::size_t bytes);
  RegisteredMemory(const RegisteredMemory&) = delete;
  RegisteredMemory& operator=(const RegisteredMemory&) = delete;
  // Whole pages that are the caller's no more, as they were freed too early, are left alone; and where the
  // system has no memory for private pages, the shared ones stay.
  ~RegisteredMemory();

  // Copy the edges to the segment.
  void refresh() const;

  const SegmentName& segment() const { return segment_.name(); }
  std::size_t offset() const { return offset_; }  // of the first byte in the segment

 private:
  std::byte* data_;
  std::size_t bytes_;
  std::size_t offset_;  // of data_ in its page, and in the segment
  std::byte* whole_;    // the first whole page
  std::size_t whole_bytes_;
  Segment segment_;
};

}  // namespace sortlast
