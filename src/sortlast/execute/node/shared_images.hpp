// Shared images: memory of this process that others can map, that of others mapped here, copies, and the
// memory in which the processes of a machine put a result together.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

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

  // The place of `bytes` from an address on, if all of them lie in one allocation.
  Place find(const void* address, std::size_t bytes) const;

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    Place start;
  };
  struct State {
    std::mutex mutex;
    std::map<std::uintptr_t, Allocation> allocations;  // by the address of their data

    void erase(std::uintptr_t address);
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

// Lies in a segment.
struct FrameSlot {
  SegmentName segment;                  // of process 0: none
  std::uint64_t used_in = 0;            // the last frame in which a process held it
  std::atomic<std::uint32_t> users{0};  // processes' holds, and those that they are about to take
};
struct FrameSlots {
  static constexpr int count = 8;

  std::uint64_t frame = 0;
  std::array<FrameSlot, count> slots;
};

// One process's view of the slots. Frames that tiles still hold keep their slots; one that nobody holds is
// taken again, when its size fits within a factor of 4, and is given up when it was not for a few frames.
class Frames {
 public:
  // `memory` keeps `slots`, which all of `processes` share.
  Frames(Memory memory, FrameSlots* slots, std::uint32_t processes)
      : memory_(std::move(memory)), slots_(slots), processes_(processes) {}

  struct Choice {
    int slot = -1;       // none could be had
    bool fresh = false;  // the others have to map it
  };
  // One process decides for all, while the others wait: a slot of at least `bytes` for the next frame. Then
  // every process has to hold() it, unless one of them takes it back for all.
  Choice choose(std::size_t bytes);
  void take_back(int slot);

  // Every process, after choose(): drop what is no longer in the slots, and map the chosen one. Whether it
  // could be mapped.
  bool update(int chosen);

  // Memory of the chosen slot, which stays in use until the last copy is gone: at any time and in any thread.
  Memory hold(int slot) const;

 private:
  Memory memory_;
  FrameSlots* slots_;
  std::uint32_t processes_;
  std::array<std::optional<Segment>, FrameSlots::count> mapped_;
};

}  // namespace sortlast
