// Distance heap: the priority queue of OpenSM's shortest-path search, with its order of equal distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sortlast::fabric {

// A heap of items 0 .. n - 1 in which each has at most four children (OpenSM 3.3.23, complib/cl_heap.c). The
// paths of sssp depend on which of several nearest items leaves it first: a parent that is greater than a
// child changes places with the nearest child, with the last of several.
class DistanceHeap {
 public:
  // Fills the heap with these items, all at `distance`, in this order.
  void reset(const std::vector<std::int32_t>& items, std::uint64_t distance) {
    entries_.clear();
    place_.resize(std::max(place_.size(), items.size()));
    for (const std::int32_t item : items) {
      place_[static_cast<std::size_t>(item)] = entries_.size();
      entries_.push_back({distance, item});
    }
  }

  bool empty() const { return entries_.empty(); }

  // `distance` is less than the item's present one.
  void decrease(std::int32_t item, std::uint64_t distance) {
    std::size_t at = place_[static_cast<std::size_t>(item)];
    for (; at > 0; at = parent(at)) {
      const Entry& above = entries_[parent(at)];
      if (distance >= above.distance) break;
      put(at, above);
    }
    put(at, {distance, item});
  }

  // Removes and returns a nearest item.
  std::int32_t pop() {
    const std::int32_t nearest = entries_.front().item;
    const Entry last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(last);
    return nearest;
  }

 private:
  static constexpr std::size_t children = 4;
  struct Entry {
    std::uint64_t distance = 0;
    std::int32_t item = 0;
  };

  static std::size_t parent(std::size_t at) { return (at - 1) / children; }

  void put(std::size_t at, Entry entry) {
    place_[static_cast<std::size_t>(entry.item)] = at;
    entries_[at] = entry;
  }

  // Puts an entry in the place of the root, and moves it down to where it belongs.
  void sink(Entry entry) {
    std::size_t at = 0;
    for (std::size_t first = 1; first < entries_.size(); first = children * at + 1) {
      std::size_t least = first;
      for (std::size_t child = first + 1; child < std::min(first + children, entries_.size()); ++child) {
        if (entries_[child].distance <= entries_[least].distance) least = child;
      }
      if (entry.distance <= entries_[least].distance) break;
      put(at, entries_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> entries_;
  std::vector<std::size_t> place_;  // by item
};

}  // namespace sortlast::fabric
