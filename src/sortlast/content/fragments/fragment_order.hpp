// Fragment order: the merged order of a pixel's fragments from several sorted lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "sortlast/content/fragments/fragment_string.hpp"

namespace sortlast {

// Sorts numbers that arrive as a few ascending parts. The parts are merged pairwise without a branch that
// depends on the numbers; each part ends with a sentinel above all numbers, so that its end needs no check.
class KeyMerge {
 public:
  // Reserve space for `most` numbers.
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

  // Keys must be distinct, and none may have all bits set.
  void add(std::uint64_t key) {
    if (key < last_) end_part();
    *end_++ = last_ = key;
    ++size_;
  }

  // Whether the numbers arrived in order.
  bool in_order() const { return ends_.empty(); }

  // All numbers in order; valid until the next begin(). Call once.
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

  // Merge two consecutive parts with `numbers` numbers in total; each ends with the sentinel.
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

  // Merge pairs of consecutive parts.
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

  std::vector<std::uint64_t> keys_;    // of the parts, one after another
  std::vector<std::uint64_t> merged_;  // output of a merge step
  std::vector<std::size_t> ends_;      // of the parts
  std::uint64_t* end_ = nullptr;
  std::uint64_t last_ = 0;
  std::size_t size_ = 0;
};

// While it is merged, a fragment is a single 64-bit number: the key of its depth, its rank and its index in
// the list. One comparison thus decides, and no two numbers are equal.
class FragmentOrder {
 public:
  struct Place {
    const std::byte* colour = nullptr;
    float depth = 0;
    std::uint32_t rank = 0;
    const std::byte* extras = nullptr;
  };

  // Reserve space for a pixel of `fragments` fragments, of p ranks.
  void begin(std::size_t fragments, std::int32_t p) {
    narrow_ = fragments < 0xffff && p <= 0x10000;
    if (places_.size() < fragments) places_.resize(2 * fragments);
    keys_.begin(fragments);
    size_ = 0;
  }

  // Add the next list: `count` fragments from `first` on.
  void add(const FragmentLists& lists, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i, ++size_) {
      const float depth = load_depth(lists.depth + i * sizeof(float));
      const std::uint32_t rank = lists.rank_of(i);
      places_[size_] = {lists.colour_at(i), depth, rank, lists.extras_at(i)};
      if (narrow_) keys_.add(std::uint64_t{depth_key(depth)} << 32U | rank << 16U | size_);
    }
  }

  // Visit the fragments in order, until visit(place) returns false. Call once.
  template <typename Visit>
  void visit(const Visit& visit_place) {
    if (!narrow_) {
      sort_wide();
      for (std::size_t i = 0; i < size_; ++i)
        if (!visit_place(places_[i])) return;
      return;
    }
    for (const std::uint64_t key : keys_.merged())
      if (!visit_place(places_[key & 0xffffU])) return;
  }

 private:
  // For more fragments or ranks than the 64-bit numbers can hold.
  void sort_wide() {
    std::stable_sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(size_),
                     [](const Place& a, const Place& b) {
                       return std::tuple(depth_key(a.depth), a.rank) < std::tuple(depth_key(b.depth), b.rank);
                     });
  }

  std::vector<Place> places_;
  KeyMerge keys_;
  std::size_t size_ = 0;
  bool narrow_ = true;
};

}  // namespace sortlast
