// Shared memory.
#include "sortlast/execute/node/shared_memory.hpp"

#include <iterator>
#include <utility>

#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {

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
  // In a forked process, the lock may be held by a thread that does not exist there.
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

}  // namespace sortlast
