// Frames: shared memory in which the processes of a machine assemble a result.
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
  SegmentName segment;                  // process 0: none
  std::uint64_t used_in = 0;            // the last frame in which a process held it
  std::atomic<std::uint32_t> users{0};  // holds of all processes, including those about to be taken
};
struct FrameSlots {
  static constexpr int count = 8;

  std::uint64_t frame = 0;
  std::array<FrameSlot, count> slots;
};

// One process's view of the slots. Frames held by tiles keep their slots. An idle frame is reused if its size
// is right within a factor of 4, and released if it was not used for a few frames.
class Frames {
 public:
  // `memory` owns `slots`, which all `processes` share.
  Frames(Memory memory, FrameSlots* slots, std::uint32_t processes)
      : memory_(std::move(memory)), slots_(slots), processes_(processes) {}

  struct Choice {
    int slot = -1;       // -1: none was available
    bool fresh = false;  // the others have to map it
  };
  // One process decides for all while the others wait: a slot of at least `bytes` for the next frame. Every
  // process must then hold() it, unless one of them takes it back for all.
  Choice choose(std::size_t bytes);
  void take_back(int slot);

  // Called by every process after choose(): drops mappings of segments that are no longer in the slots, and
  // maps the chosen one. Returns whether it could be mapped.
  bool update(int chosen);

  // Memory of the chosen slot. It stays in use until the last copy is destroyed, at any time and in any
  // thread.
  Memory hold(int slot) const;

 private:
  Memory memory_;
  FrameSlots* slots_;
  std::uint32_t processes_;
  std::array<std::optional<Segment>, FrameSlots::count> mapped_;
};

}  // namespace sortlast
