// Fragment order: the merged order of a pixel's fragments, from several lists that are in order.
//
// A fragment is one number of 64 bits while it is merged: the key of its depth, its rank and where it was
// listed, so that one comparison decides and no two are equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment_string.hpp"
#include "sortlast/execute/layers/fragments/key_merge.hpp"

namespace sortlast {

class FragmentOrder {
 public:
  struct Place {
    const std::byte* colour = nullptr;
    float depth = 0;
    std::uint32_t rank = 0;
    const std::byte* further = nullptr;
  };

  // Room for a pixel of so many fragments, none of them of a rank of `p` or above.
  void begin(std::size_t fragments, std::int32_t p) {
    narrow_ = fragments < 0xffff && p <= 0x10000;
    if (places_.size() < fragments) places_.resize(2 * fragments);
    keys_.begin(fragments);
    size_ = 0;
  }

  // The next list: `count` fragments from `first` on.
  void add(const FragmentLists& lists, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i, ++size_) {
      const float depth = load_depth(lists.depth + i * sizeof(float));
      const std::uint32_t rank = lists.rank_of(i);
      places_[size_] = {lists.colour_at(i), depth, rank, lists.further_at(i)};
      if (narrow_) keys_.add(std::uint64_t{depth_key(depth)} << 32U | rank << 16U | size_);
    }
  }

  // Visit the fragments in order, until visit(place) is false. Once.
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
  // Fragments or ranks beyond what the numbers hold.
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
