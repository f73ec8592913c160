// Registration: private memory of the caller that becomes a segment in place, and private memory again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sortlast/execute/node/segment.hpp"

namespace sortlast {

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
