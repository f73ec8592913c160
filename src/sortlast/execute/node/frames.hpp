// Frames: the memory in which the processes of a machine put a result together.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

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
