// Allocations: memory of this process that lies in segments, found again by its address.
#include "sortlast/execute/node/allocations.hpp"

#include <utility>

namespace sortlast {

Memory Allocations::take(std::size_t bytes) {
  const Segment segment(bytes);
  std::byte* const data = segment.data();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  {
    const std::lock_guard lock(state_->mutex);
    state_->segments[address] = segment.name();
  }
  return {data, [state = state_, address, kept = segment.memory()](std::byte*) mutable {
            {
              const std::lock_guard lock(state->mutex);
              state->segments.erase(address);
            }
            kept.reset();
          }};
}

Place Allocations::find(const void* address, std::size_t bytes) const {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(state_->mutex);
  auto after = state_->segments.upper_bound(wanted);
  if (after == state_->segments.begin()) return {};
  const auto& [begin, name] = *std::prev(after);
  const std::uint64_t offset = wanted - begin;
  if (offset > name.bytes || bytes > name.bytes - offset) return {};
  return {name, offset};
}

}  // namespace sortlast
