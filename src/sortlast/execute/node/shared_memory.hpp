// Shared memory: memory of this process that others can map, and memory of others mapped here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// A place in a segment.
struct Place {
  SegmentName segment;  // process 0: none
  std::uint64_t offset = 0;

  bool none() const { return segment.process == 0; }
};

// Memory of this process that lies in segments, looked up by address. It may be released in any thread and
// after this object is destroyed.
class Allocations {
 public:
  Allocations() : state_(std::make_shared<State>()) {}

  // `bytes` zeros in a separate segment, aligned to a page. Throws Error.
  Memory take(std::size_t bytes);

  // The place of `bytes` starting at an address, if all of them lie in one allocation.
  Place find(const void* address, std::size_t bytes) const;

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    Place start;
  };
  struct State {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> allocations;  // by address of the data

    void erase(std::uintptr_t address);
  };
  std::shared_ptr<State> state_;
};

// The segments of other processes that this one has mapped.
class Mappings {
 public:
  explicit Mappings(std::size_t owners) : of_(owners) {}

  // Address in this process of a segment of an owner (a number below `owners`). Maps it on first use; throws
  // Error if that fails.
  std::byte* find(std::size_t owner, const SegmentName& name);

  // Unmap the segments released by their owners. Their memory stays allocated until all processes have done
  // so.
  void drop_closed();

 private:
  std::vector<std::vector<Segment>> of_;
};

}  // namespace sortlast
