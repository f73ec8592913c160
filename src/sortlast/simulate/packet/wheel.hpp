// Wheel: things to come, by the cycle in which they are due.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sortlast::simulate {

template <class Item>
class Wheel {
 public:
  // For items that are due less than `span` cycles ahead.
  explicit Wheel(std::int32_t span)
      : mask_(std::bit_ceil(static_cast<std::uint32_t>(span)) - 1), slots_(std::size_t{mask_} + 1) {}

  void add(std::int32_t cycle, Item item) {
    Slot& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    if (slot.count == slot.items.size()) slot.items.resize(2 * slot.count + 16);
    slot.items[slot.count++] = item;
  }
  std::span<const Item> at(std::int32_t cycle) const {
    const Slot& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    return {slot.items.data(), slot.count};
  }
  // Removes what was due; how many.
  std::int64_t clear(std::int32_t cycle) {
    return static_cast<std::int64_t>(
        std::exchange(slots_[static_cast<std::uint32_t>(cycle) & mask_].count, 0u));
  }

 private:
  struct Slot {
    std::vector<Item> items;
    std::size_t count = 0;
  };
  std::uint32_t mask_;
  std::vector<Slot> slots_;
};

}  // namespace sortlast::simulate
