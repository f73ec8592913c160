// Flatten: the colours of consecutive pixels, from the lists of several ranks.
//
// Neighbouring pixels usually have the same number of fragments of each rank, in the same order. Pixels are
// processed in runs of equal counts. The order of the ranks in one pixel is tried on the following pixels
// while they are blended; if it does not hold, the lists are merged and blended again. A blend has to wait
// for the previous one, so four pixels are blended side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/fragments/fragment_order.hpp"
#include "sortlast/content/fragments/fragment_string.hpp"

namespace sortlast {

// Blends a pixel's fragments in order, run by run, as defined in fragments.hpp.
class Flattening {
 public:
  // Returns whether fragments behind this one are visible.
  bool add(const Colour& colour, std::uint32_t rank) {
    if (any_ && rank == rank_) {
      run_ = blend_over(run_, colour);
    } else {
      if (any_) all_ = blend_over(all_, run_);
      run_ = colour;
      rank_ = rank;
      any_ = true;
    }
    return run_[3] != 1;
  }
  Colour colour() const { return any_ ? blend_over(all_, run_) : all_; }

 private:
  Colour all_ = {};
  Colour run_ = {};
  std::uint32_t rank_ = 0;
  bool any_ = false;
};

// `scalar`: scalar type of the colours in the lists and of the pixels.
template <Scalar scalar>
class Flattener {
 public:
  // `background`, if not null, lies behind all pixels and must stay valid.
  explicit Flattener(const Colour* background) : background_(background) {}

  // Write `pixels` pixels, RGBA. Each list covers these pixels and belongs to one rank; no two lists have the
  // same rank. Fragments of a pixel are in any order.
  void write(std::span<const FragmentLists> lists, std::size_t pixels, std::byte* out);

 private:
  struct Input {
    FragmentLists lists;
    RunReader runs;
    std::size_t next = 0;     // its next fragment
    std::uint32_t place = 0;  // of its first fragment, among all fragments of the pixel
    std::uint32_t taken = 0;  // number of fragments that have a slot
  };
  // A fragment of the current pixel. Throughout a run it is from the same list, at the same index.
  struct Slot {
    const std::byte* colour = nullptr;
    const std::byte* depth = nullptr;
    std::ptrdiff_t step = 0;  // number of fragments to the next pixel's
    std::uint32_t place = 0;  // among the fragments of all lists of the pixel, rank by rank
    std::uint32_t input = 0;
    bool may_tie = false;  // with the slot in front, which has the lower place

    void advance(std::ptrdiff_t pixels) {
      colour += pixels * step * static_cast<std::ptrdiff_t>(colour_bytes(scalar));
      depth += pixels * step * static_cast<std::ptrdiff_t>(sizeof(float));
    }
    Colour colour_of(std::ptrdiff_t pixel) const {
      return load_colour_as<scalar>(colour +
                                    pixel * step * static_cast<std::ptrdiff_t>(colour_bytes(scalar)));
    }
    float depth_of(std::ptrdiff_t pixel) const {
      return load_depth(depth + pixel * step * static_cast<std::ptrdiff_t>(sizeof(float)));
    }
  };
  static constexpr std::size_t group = 4;  // pixels processed at once
  using Group = std::array<Colour, group>;

  void put(Colour colour, std::byte* out) const {
    if (background_ != nullptr) colour = blend_over(colour, *background_);
    store_colour_as<scalar>(colour, out);
  }
  void list_slots();
  void add_slot(std::uint32_t input, std::size_t passed);
  void put_in_order(std::size_t passed);
  void settle_order();
  void advance(std::ptrdiff_t pixels);
  void write_run(std::size_t pixels, std::byte* out);
  bool in_order() const;
  Colour flattened() const;
  bool flatten_group(Group& colours) const;
  template <bool taking_turns>
  bool flatten_group_as(Group& colours) const;

  const Colour* background_;
  std::vector<Input> inputs_;  // by rank
  std::vector<Slot> slots_;    // front to back, in the current pixel
  std::vector<Slot> before_;   // of the previous order
  bool taking_turns_ = false;  // no two consecutive slots belong to one rank
  KeyMerge keys_;
  std::vector<std::uint32_t> slot_of_;  // by place
};

}  // namespace sortlast
