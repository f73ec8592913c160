// Memory of a GPU that several processes of a machine read: exporting it, and opening it elsewhere.
//
// A handle names a whole allocation, so pointers travel as handle and offset. Opening costs about a
// millisecond and closing may wait for the GPU, so allocations stay open from frame to frame. Pools of memory
// reuse addresses: an allocation is known by its buffer id, which is never reused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sortlast/device/context.hpp"

namespace sortlast::device {

// What another process needs to read memory of this one: bytes to be sent as they are.
struct Export {
  IpcHandle handle;
  std::uint64_t base;    // of the allocation, in the process that owns it
  std::uint64_t buffer;  // id of the allocation
  std::uint64_t offset;  // of the pointer, in bytes
};

// Export memory that `pointer` leads to. Throws ArgumentError if it is no memory of a GPU, or of a pool that
// cannot be shared (cudaMallocAsync, cuMemCreate).
Export export_memory(const Context& context, const void* pointer);

// The allocations of other processes that are open here, for reading and writing on one GPU.
class OpenedMemory {
 public:
  explicit OpenedMemory(const Context& context) : context_(context) {}
  OpenedMemory(const OpenedMemory&) = delete;
  OpenedMemory& operator=(const OpenedMemory&) = delete;
  ~OpenedMemory();

  // A pointer to the memory that process `owner` exported; any number that identifies the process. Opens
  // the allocation unless it is open. If another one of that process was open at the same base, it no longer
  // exists and is closed, so no work that reads it may be under way. Throws Error, also in the process that
  // exported it.
  void* open(std::int64_t owner, const Export& exported);

  // Close all but the `keep` allocations that were used last. No work that reads the others may be under way.
  void close_unused(std::size_t keep);
  std::size_t size() const { return open_.size(); }

 private:
  struct Opened {
    std::int64_t owner;
    std::uint64_t base;
    std::uint64_t buffer;
    Address address;
  };

  void close(const Opened& opened) const;

  Context context_;
  std::vector<Opened> open_;  // the one used last at the end
};

}  // namespace sortlast::device
