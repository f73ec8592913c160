// Fragment memory: fragments of other ranks that are read where they lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sortlast/execute/layers/fragments/ordered_lists.hpp"

namespace sortlast {

class FragmentMemory {
 public:
  virtual ~FragmentMemory() = default;

  // Fragments of the rank that can be read; 0 where none can.
  virtual std::size_t size(std::uint32_t rank) const = 0;

  // Whether they are copied through the kernel.
  virtual bool pulls_from(std::uint32_t rank) const = 0;

  // Set the colours and depths of the lists to those of their rank's fragments [first, first + lists.size),
  // which are there: where they lie, or copied into the room. Throws Error. For any thread.
  virtual void read(std::size_t first, FragmentLists& lists, ListRoom& room) const = 0;
};

}  // namespace sortlast
