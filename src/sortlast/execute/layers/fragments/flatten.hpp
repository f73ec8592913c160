// Flatten: the colours of neighbouring pixels, from the lists of several ranks.
//
// Neighbours in an image mostly have as many fragments of each rank, in the same order. So the pixels are
// gone through run by run of equal counts, and the order of one pixel is tried on the next: one pass over its
// depths. Only where it does not hold are the lists merged. A blend waits for the one before it, so four
// pixels are blended side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment_order.hpp"

namespace sortlast {

// Blends a pixel's fragments in order, run by run, as fragments.hpp tells.
class Flattening {
 public:
  // Whether more can be seen behind.
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

// Lists of the same pixels, each of one rank and no two of the same, of p ranks.
class Flattener {
 public:
  Flattener(std::span<const FragmentLists> lists, std::int32_t p);

  // Write so many pixels, RGBA float32. `background`, if not null, lies behind them.
  void write(std::size_t pixels, const Colour* background, std::byte* out);

 private:
  struct Input {
    FragmentLists lists;
    std::size_t next = 0;     // its fragment
    std::size_t run_end = 0;  // up to this pixel the counts are the same
  };
  // A fragment of the current pixel: in all pixels of a run one of the same list, at the same place there.
  struct Slot {
    const std::byte* colour = nullptr;
    const std::byte* depth = nullptr;
    std::size_t step = 0;     // fragments to that of the next pixel
    std::uint32_t place = 0;  // among all lists' fragments of the pixel, rank by rank
    std::uint32_t rank = 0;

    void advance(std::size_t pixels) {
      colour += pixels * step * colour_bytes;
      depth += pixels * step * sizeof(float);
    }
    Colour colour_of(std::size_t pixel) const { return load_colour(colour + pixel * step * colour_bytes); }
    float depth_of(std::size_t pixel) const { return load_depth(depth + pixel * step * sizeof(float)); }
  };
  static constexpr std::size_t group = 4;  // pixels at once
  using Group = std::array<Colour, group>;

  std::size_t end_of_run(std::size_t pixel, std::size_t pixels);
  void list_slots(std::size_t pixel);
  bool in_order() const;
  bool group_in_order() const;
  void put_in_order(std::size_t pixel, std::size_t passed);
  Colour flattened() const;
  bool flatten_group(Group& colours) const;

  std::int32_t p_;
  std::vector<Input> inputs_;  // by rank
  std::vector<Slot> listed_;   // list by list, in the first pixel of the run
  std::vector<Slot> slots_;    // front to back, in the current pixel
  FragmentOrder order_;
};

}  // namespace sortlast
