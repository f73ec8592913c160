// Wheel: things to come, by the cycle in which they are due.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace sortlast::simulate {

template <class Item>
class Wheel {
 public:
  // For items that are due less than `span` cycles ahead.
  explicit Wheel(std::int32_t span)
      : mask_(std::bit_ceil(static_cast<std::uint32_t>(span)) - 1), slots_(std::size_t{mask_} + 1) {}

  void add(std::int32_t cycle, Item item) {
    slots_[static_cast<std::uint32_t>(cycle) & mask_].push_back(item);
  }
  const std::vector<Item>& at(std::int32_t cycle) const {
    return slots_[static_cast<std::uint32_t>(cycle) & mask_];
  }
  // Removes what was due; how many.
  std::int64_t clear(std::int32_t cycle) {
    std::vector<Item>& slot = slots_[static_cast<std::uint32_t>(cycle) & mask_];
    const auto count = static_cast<std::int64_t>(slot.size());
    slot.clear();
    return count;
  }

 private:
  std::uint32_t mask_;
  std::vector<std::vector<Item>> slots_;
};

}  // namespace sortlast::simulate
