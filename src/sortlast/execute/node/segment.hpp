// Segment: memory that the other processes of a machine can map.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sortlast {

// The information another process needs to map a segment. Trivially copyable, so it can lie in shared memory
// itself.
struct SegmentName {
  std::int32_t process = 0;  // 0: no segment
  std::int32_t file = -1;    // descriptor in that process
  std::uint64_t serial = 0;  // never used twice by a process
  std::uint64_t bytes = 0;

  bool operator==(const SegmentName&) const = default;
};

// An anonymous file in memory (memfd). It needs no name in a file system, no space in /dev/shm and no
// collective call, its owner can free it at any time, and it disappears when its processes die.
class Segment {
 public:
  // A new segment of zeros, mapped here. Asks for huge pages. Throws Error with the system's reason.
  explicit Segment(std::size_t bytes);
  // A segment of another process (or of this one), mapped here. Throws Error if it no longer exists or this
  // process may not open it.
  explicit Segment(const SegmentName& name);

  std::byte* data() const { return memory_.get(); }
  const SegmentName& name() const { return name_; }
  // Keeps the mapping, and in the owner also the segment, as long as a copy exists.
  const std::shared_ptr<std::byte>& memory() const { return memory_; }
  // Whether its owner has released it: the memory is freed when the last process has unmapped it.
  bool closed() const;

 private:
  struct Label;

  SegmentName name_;
  std::shared_ptr<std::byte> memory_;
  Label* label_ = nullptr;  // after the data
};

}  // namespace sortlast
