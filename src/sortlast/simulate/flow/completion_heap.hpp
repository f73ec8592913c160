// Completion heap: the flow that ends next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace sortlast::simulate {

// The flow that ends next, while the ends of others change: a binary heap that knows the position of each
// flow, so that it holds every flow once. Among flows that end at the same time, the one with the lowest
// number is first.
class CompletionHeap {
 public:
  struct Entry {
    double time = 0;
    std::int32_t flow = 0;

    bool operator<(const Entry& other) const {
      return time != other.time ? time < other.time : flow < other.flow;
    }
  };

  bool empty() const { return heap_.empty(); }
  const Entry& top() const { return heap_.front(); }

  // Adds a flow, or changes its end.
  void set(std::int32_t flow, double time) {
    const auto f = static_cast<std::size_t>(flow);
    if (f >= place_.size()) place_.resize(f + 1, absent);
    if (place_[f] == absent) {
      place_[f] = static_cast<std::int32_t>(heap_.size());
      heap_.push_back({time, flow});
      rise(heap_.size() - 1);
    } else {
      restore(static_cast<std::size_t>(place_[f]), {time, flow});
    }
  }

  // Does nothing if the flow has not been added.
  void remove(std::int32_t flow) {
    const auto f = static_cast<std::size_t>(flow);
    if (f >= place_.size() || place_[f] == absent) return;
    const auto hole = static_cast<std::size_t>(std::exchange(place_[f], absent));
    const Entry last = heap_.back();
    heap_.pop_back();
    if (hole < heap_.size()) restore(hole, last);
  }

  std::int64_t bytes() const {
    return static_cast<std::int64_t>(heap_.capacity() * sizeof(Entry) +
                                     place_.capacity() * sizeof(std::int32_t));
  }

 private:
  static constexpr std::int32_t absent = -1;

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[static_cast<std::size_t>(entry.flow)] = static_cast<std::int32_t>(at);
  }
  void restore(std::size_t at, const Entry& entry) {
    put(at, entry);
    rise(at);
    sink(static_cast<std::size_t>(place_[static_cast<std::size_t>(entry.flow)]));
  }
  void rise(std::size_t at) {
    const Entry entry = heap_[at];
    for (; at > 0 && entry < heap_[(at - 1) / 2]; at = (at - 1) / 2) put(at, heap_[(at - 1) / 2]);
    put(at, entry);
  }
  void sink(std::size_t at) {
    const Entry entry = heap_[at];
    for (std::size_t child = 2 * at + 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < entry)) break;
      put(at, heap_[child]);
      at = child;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::int32_t> place_;  // by flow
};

}  // namespace sortlast::simulate
