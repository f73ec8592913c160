// Key merge: numbers in order, from a sequence of which long parts are.
//
// The parts are merged two by two without a branch that depends on the numbers; each ends with a number above
// all others, so that no end has to be looked for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sortlast {

class KeyMerge {
 public:
  // Room for so many numbers.
  void begin(std::size_t most) {
    if (keys_.size() < 2 * most + 1) {
      keys_.resize(2 * (2 * most + 1));
      merged_.resize(keys_.size());
    }
    size_ = 0;
    ends_.clear();
    end_ = keys_.data();
    last_ = 0;
  }

  // No number twice, and none of all ones.
  void add(std::uint64_t key) {
    if (key < last_) end_part();
    *end_++ = last_ = key;
    ++size_;
  }

  // Whether the numbers came in order.
  bool in_order() const { return ends_.empty(); }

  // All numbers in order: until the next begin(). Call once.
  std::span<const std::uint64_t> merged() {
    end_part();
    while (ends_.size() > 1) merge_parts();
    return {keys_.data(), size_};
  }

 private:
  void end_part() {
    *end_++ = ~std::uint64_t{0};
    ends_.push_back(static_cast<std::size_t>(end_ - keys_.data()));
  }

  // Merge two parts of so many numbers, each behind the other with its last number above all.
  static void merge_two(const std::uint64_t* a, const std::uint64_t* b, std::size_t numbers,
                        std::uint64_t* to) {
    for (std::size_t i = 0; i < numbers; ++i) {
      const bool second = *b < *a;
      to[i] = second ? *b : *a;
      a += second ? 0 : 1;
      b += second ? 1 : 0;
    }
    to[numbers] = ~std::uint64_t{0};
  }

  // Merge each part with the next.
  void merge_parts() {
    std::size_t kept = 0;
    std::size_t begin = 0;
    std::uint64_t* to = merged_.data();
    for (std::size_t i = 0; i < ends_.size(); i += 2) {
      const bool pair = i + 1 < ends_.size();
      const std::size_t end = ends_[pair ? i + 1 : i];
      if (pair) {
        merge_two(keys_.data() + begin, keys_.data() + ends_[i], end - begin - 2, to);
        to += end - begin - 1;
      } else {
        to = std::copy(keys_.data() + begin, keys_.data() + end, to);
      }
      begin = end;
      ends_[kept++] = static_cast<std::size_t>(to - merged_.data());
    }
    ends_.resize(kept);
    keys_.swap(merged_);
  }

  std::vector<std::uint64_t> keys_;    // of the parts, one behind the other
  std::vector<std::uint64_t> merged_;  // of a step
  std::vector<std::size_t> ends_;      // of the parts
  std::uint64_t* end_ = nullptr;
  std::uint64_t last_ = 0;
  std::size_t size_ = 0;
};

}  // namespace sortlast
