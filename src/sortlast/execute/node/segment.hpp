// Segment: memory that the other processes of a machine can map.
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

}  // namespace sortlast
