// Shared images: memory of this process that others can map, that of others mapped here, and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "sortlast/execute/node/registration.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// A place in a segment.
struct Place {
  SegmentName segment;  // of process 0: none
  std::uint64_t offset = 0;

  bool none() const { return segment.process == 0; }
};

// Memory of this process that lies in segments, found again by its address. It may be given back in any
// thread and after the allocations are gone.
class Allocations {
 public:
  Allocations() : state_(std::make_shared<State>()) {}

  // `bytes` zeros in a segment of their own, aligned to a page. Throws Error.
  Memory take(std::size_t bytes);
  // `bytes` of the caller's, at least one, as RegisteredMemory, until the last copy of the result is gone.
  // Throws ArgumentError, also where a part of them is allocated or registered already.
  std::shared_ptr<void> add(std::byte* data, std::size_t bytes);

  // The place of `bytes` from an address on, if all of them lie in one allocation.
  Place find(const void* address, std::size_t bytes) const;
  // The same, and all that was written there by now can be read in the segment.
  Place offer(const void* address, std::size_t bytes) const;

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    Place start;
    const RegisteredMemory* registered = nullptr;  // none: taken
  };
  struct State {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> allocations;  // by the address of their data

    void erase(std::uintptr_t address);
    std::pair<Place, const RegisteredMemory*> find(const void* address, std::size_t bytes) const;
  };
  std::shared_ptr<State> state_;
};

// The segments of other processes that this one has mapped.
class Mappings {
 public:
  explicit Mappings(std::size_t owners) : of_(owners) {}

  // Where a segment of an owner (a number below `owners`) lies in this process. Maps it when it is asked for
  // the first time; throws Error if it cannot.
  std::byte* find(std::size_t owner, const SegmentName& name);

  // Unmap the segments that their owners have let go. Their memory stays taken until all have done so.
  void drop_closed();

 private:
  std::vector<std::vector<Segment>> of_;
};

// A copy of an image in a segment, for processes that cannot read it where it is.
class Staging {
 public:
  struct Places {
    Place colour;
    Place depth;
  };
  // Copy the rows of an image that its bounds hold, or all; the rest is undefined. The copy stays until the
  // next one, whose memory it is. Throws Error.
  Places copy(const ImageView& image);

 private:
  std::optional<Segment> segment_;
};

}  // namespace sortlast
