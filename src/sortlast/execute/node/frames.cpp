// Frames.
#include "sortlast/execute/node/frames.hpp"

#include <algorithm>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {
namespace {

constexpr std::uint64_t kept_frames = 3;

bool fits(const FrameSlot& slot, std::size_t bytes) {
  return slot.segment.process != 0 && slot.segment.bytes >= bytes && slot.segment.bytes / 4 <= bytes;
}

bool idle(const FrameSlot& slot) { return slot.users.load(std::memory_order_acquire) == 0; }

}  // namespace

Frames::Choice Frames::choose(std::size_t bytes) {
  auto& slots = slots_->slots;
  const std::uint64_t frame = ++slots_->frame;

  // Release frames that no process has held for a while.
  for (FrameSlot& slot : slots) {
    if (!idle(slot)) slot.used_in = frame;
    if (slot.used_in + kept_frames < frame) slot.segment = {};
  }

  // Reuse an idle frame of about the right size, else take an empty slot, else the slot of any idle frame.
  const auto find = [&](const auto& suits) {
    return std::find_if(slots.begin(), slots.end(),
                        [&](const FrameSlot& slot) { return idle(slot) && suits(slot); });
  };
  auto found = find([&](const FrameSlot& slot) { return fits(slot, bytes); });
  const bool fresh = found == slots.end();
  if (fresh) found = find([](const FrameSlot& slot) { return slot.segment.process == 0; });
  if (found == slots.end()) found = find([](const FrameSlot&) { return true; });
  if (found == slots.end()) return {};
  const auto chosen = static_cast<std::size_t>(found - slots.begin());
  if (fresh) {
    try {
      mapped_[chosen] = Segment(bytes);
    } catch (const Error&) {
      return {};
    }
    found->segment = mapped_[chosen]->name();
  }
  found->used_in = frame;
  found->users.store(processes_, std::memory_order_relaxed);
  return {static_cast<int>(chosen), fresh};
}

void Frames::take_back(int slot) {
  FrameSlot& taken = slots_->slots[static_cast<std::size_t>(slot)];
  taken.segment = {};
  taken.users.store(0, std::memory_order_relaxed);
}

bool Frames::update(int chosen) {
  for (std::size_t i = 0; i < mapped_.size(); ++i) {
    if (mapped_[i] && mapped_[i]->name() != slots_->slots[i].segment) mapped_[i].reset();
  }
  const auto wanted = static_cast<std::size_t>(chosen);
  if (chosen < 0 || mapped_[wanted]) return true;
  try {
    mapped_[wanted] = Segment(slots_->slots[wanted].segment);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Memory Frames::hold(int slot) const {
  const auto chosen = static_cast<std::size_t>(slot);
  Memory segment = mapped_[chosen]->memory();
  std::byte* const data = segment.get();
  // A forked process does not hold it; its parent does.
  return {data, [control = memory_, users = &slots_->slots[chosen].users, kept = std::move(segment),
                 holder = this_process()](std::byte*) mutable {
            kept.reset();
            if (holder == this_process()) users->fetch_sub(1, std::memory_order_release);
          }};
}

}  // namespace sortlast
