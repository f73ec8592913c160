// Shared images, and the frames in which results are put together.
#include "sortlast/execute/node/shared_images.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {

// ---- Images ---------------------------------------------------------------------------------------

void Allocations::State::erase(std::uintptr_t address) {
  const std::lock_guard lock(mutex);
  allocations.erase(address);
}

Memory Allocations::take(std::size_t bytes) {
  const Segment segment(bytes);
  std::byte* const data = segment.data();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  {
    const std::lock_guard lock(state_->mutex);
    state_->allocations[address] = {bytes, {segment.name(), 0}};
  }
  // In a forked process the lock may be that of a thread which does not exist there.
  return {data,
          [state = state_, address, owner = this_process(), kept = segment.memory()](std::byte*) mutable {
            if (owner == this_process()) state->erase(address);
            kept.reset();
          }};
}

Place Allocations::find(const void* address, std::size_t bytes) const {
  const std::lock_guard lock(state_->mutex);
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const auto after = state_->allocations.upper_bound(wanted);
  if (after == state_->allocations.begin()) return {};
  const auto& [begin, found] = *std::prev(after);
  const std::uint64_t offset = wanted - begin;
  if (offset > found.bytes || bytes > found.bytes - offset) return {};
  return {found.start.segment, found.start.offset + offset};
}

std::byte* Mappings::find(std::size_t owner, const SegmentName& name) {
  std::vector<Segment>& mapped = of_[owner];
  for (const Segment& segment : mapped) {
    if (segment.name() == name) return segment.data();
  }
  return mapped.emplace_back(name).data();
}

void Mappings::drop_closed() {
  for (std::vector<Segment>& mapped : of_)
    std::erase_if(mapped, [](const Segment& segment) { return segment.closed(); });
}

Staging::Places Staging::copy(const ImageView& image) {
  const Format& format = image.format;
  const auto count = static_cast<std::size_t>(image.size.pixels());
  const std::size_t colour = (count * format.colour_bytes() + 63) / 64 * 64;
  const bool with_depth = format.depth && image.pixels.depth != nullptr;
  const std::size_t bytes = colour + (with_depth ? count * sizeof(float) : 0);
  if (!segment_ || segment_->name().bytes < bytes || segment_->name().bytes / 4 > bytes) {
    segment_.reset();
    segment_.emplace(bytes);
  }

  const std::int64_t width = image.size.width;
  const Range part = image.bounds ? Range{image.bounds->y0 * width, image.bounds->y1 * width}
                                  : Range{0, image.size.pixels()};
  const auto begin = static_cast<std::size_t>(part.begin);
  const auto copied = static_cast<std::size_t>(part.size());
  const std::size_t first = begin * format.colour_bytes();
  std::memcpy(segment_->data() + first, image.pixels.colour + first, copied * format.colour_bytes());
  if (!with_depth) return {{segment_->name(), 0}, {}};
  std::memcpy(segment_->data() + colour + begin * sizeof(float), image.pixels.depth + begin,
              copied * sizeof(float));
  return {{segment_->name(), 0}, {segment_->name(), colour}};
}

// ---- Frames ---------------------------------------------------------------------------------------

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

  // Give up what nobody has held for a while.
  for (FrameSlot& slot : slots) {
    if (!idle(slot)) slot.used_in = frame;
    if (slot.used_in + kept_frames < frame) slot.segment = {};
  }

  // Take an idle frame of about the right size again, else an empty place, else that of any idle frame.
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
  // A forked process does not hold it: its parent does.
  return {data, [control = memory_, users = &slots_->slots[chosen].users, kept = std::move(segment),
                 holder = this_process()](std::byte*) mutable {
            kept.reset();
            if (holder == this_process()) users->fetch_sub(1, std::memory_order_release);
          }};
}

}  // namespace sortlast
