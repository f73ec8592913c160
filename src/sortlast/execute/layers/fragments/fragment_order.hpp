// Fragment order: the merged order of a pixel's fragments, from several lists that are in order.
//
// A fragment is one number of 64 bits while it is merged: the key of its depth, its rank and where it was
// listed, so that one comparison decides and no two are equal. Lists are merged two by two without a branch
// that depends on depths; each ends with a number above all others, so that no end has to be looked for.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment_string.hpp"

namespace sortlast {

class FragmentOrder {
 public:
  struct Place {
    const std::byte* colour = nullptr;
    float depth = 0;
    std::uint32_t rank = 0;
  };

  // Room for a pixel of `fragments` in `lists`, none of them in a rank of `p` or above.
  void begin(std::size_t fragments, std::size_t lists, std::int32_t p) {
    narrow_ = fragments < 0xffff && p <= 0x10000;
    if (places_.size() < fragments) places_.resize(2 * fragments);
    if (keys_.size() < fragments + lists) {
      keys_.resize(2 * (fragments + lists));
      merged_.resize(keys_.size());
    }
    size_ = 0;
    ends_.clear();
    end_ = keys_.data();
  }

  // The next list: `count` fragments from `first` on.
  void add(const FragmentLists& lists, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i, ++size_) {
      const float depth = load_depth(lists.depth + i * sizeof(float));
      const std::uint32_t rank = lists.rank_of(i);
      places_[size_] = {lists.colour + i * colour_bytes, depth, rank};
      *end_++ = std::uint64_t{depth_key(depth)} << 32U | rank << 16U | size_;
    }
    *end_++ = ~std::uint64_t{0};
    ends_.push_back(static_cast<std::size_t>(end_ - keys_.data()));
  }

  // Visit the fragments in order, until visit(place) is false.
  template <typename Visit>
  void visit(const Visit& visit_place) {
    if (!narrow_) sort_wide();
    if (narrow_) merge_lists();
    for (std::size_t i = 0; i < size_; ++i)
      if (!visit_place(places_[narrow_ ? keys_[i] & 0xffffU : i])) return;
  }
  // Visit, in order, the numbers under which the fragments were added. The lists come by rank.
  template <typename Visit>
  void visit_numbers(const Visit& visit_number) {
    if (!narrow_) number_wide();
    if (narrow_) merge_lists();
    for (std::size_t i = 0; i < size_; ++i) visit_number(narrow_ ? keys_[i] & 0xffffU : numbers_[i]);
  }

 private:
  // Merge two lists of so many numbers, each behind the other with its last number above all.
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

  void merge_lists() {
    while (ends_.size() > 1) {
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
  }

  // Fragments or ranks beyond what the numbers hold.
  void sort_wide() {
    std::stable_sort(places_.begin(), places_.begin() + static_cast<std::ptrdiff_t>(size_),
                     [](const Place& a, const Place& b) {
                       return std::tuple(depth_key(a.depth), a.rank) < std::tuple(depth_key(b.depth), b.rank);
                     });
  }

  void number_wide() {
    numbers_.resize(size_);
    std::iota(numbers_.begin(), numbers_.end(), std::size_t{0});
    std::stable_sort(numbers_.begin(), numbers_.end(), [this](std::size_t a, std::size_t b) {
      return depth_key(places_[a].depth) < depth_key(places_[b].depth);
    });
  }

  std::vector<Place> places_;
  std::vector<std::uint64_t> keys_;    // of the lists, one behind the other
  std::vector<std::uint64_t> merged_;  // of a step
  std::vector<std::size_t> ends_;      // of the lists
  std::vector<std::size_t> numbers_;   // in order, if not narrow
  std::uint64_t* end_ = nullptr;
  std::size_t size_ = 0;
  bool narrow_ = true;
};

}  // namespace sortlast
