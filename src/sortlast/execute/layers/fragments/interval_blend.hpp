// Interval blend: the colour of a pixel of fragments that are intervals of depth, each of a medium that is
// even from its front to its back.
//
// Where several overlap, each is cut where others begin or end, and what lies between the same two depths is
// mixed: their optical depths add up, and what each of them emits is dimmed by all. So does "Interpreting
// OpenEXR Deep Pixels" (Florian Kainz, Industrial Light & Magic, 2013) split samples and merge them. A
// fragment that ends where it begins is a sheet, in front of what begins at the same depth.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sortlast/execute/layers/fragments/fragment.hpp"

namespace sortlast {

class IntervalBlend {
 public:
  void clear() { media_.clear(); }
  // The next fragment, in the order of fragments.hpp, which ends at `back`.
  void add(const Colour& colour, float depth, float back);
  // The colour of all fragments since clear(), computed in float64 and rounded once.
  Colour colour();

 private:
  using Rgb = std::array<double, 3>;

  struct Medium {
    double front = 0;
    double back = 0;
    double alpha = 0;
    double optical_depth = 0;  // of all of it, -log(1 - alpha); of what is opaque it is not used
    Rgb colour = {};
    Rgb emission = {};  // of all of it, as if nothing dimmed it: colour * optical depth / alpha

    bool is_sheet() const { return !(front < back); }
  };

  void put(const Rgb& colour, double alpha);
  void put_mixed(double front, double back);
  void pass(std::size_t end);

  std::vector<Medium> media_;      // in order
  std::size_t next_ = 0;           // of them: those before are put, or open
  std::vector<std::size_t> open_;  // media that the current depth lies in
  std::vector<double> cuts_;
  Rgb colour_ = {};  // of what is put
  double alpha_ = 0;
};

}  // namespace sortlast
