// Interval blend: the colour of a pixel with fragments that are depth intervals, each filled evenly by a
// medium.
//
// Overlapping intervals are cut at each other's ends, and the parts between the same two depths are mixed:
// their optical depths add up, and the light that each emits is dimmed by all. "Interpreting OpenEXR Deep
// Pixels" (Florian Kainz, Industrial Light & Magic, 2013) splits and merges samples in this way. A fragment
// that ends at the depth at which it begins is a sheet, in front of media that begin at the same depth.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sortlast/content/fragments/fragment.hpp"

namespace sortlast {

class IntervalBlend {
 public:
  void clear() { media_.clear(); }
  // Add the next fragment, in the order of fragments.hpp; it ends at `back`.
  void add(const Colour& colour, float depth, float back);
  // The colour of all fragments since clear(), computed in float64 and rounded once.
  Colour colour();

 private:
  using Rgb = std::array<double, 3>;

  struct Medium {
    double front = 0;
    double back = 0;
    double alpha = 0;
    double optical_depth = 0;  // of the whole medium, -log(1 - alpha); unused if opaque
    Rgb colour = {};
    Rgb emission = {};  // of the whole medium, as if nothing dimmed it: colour * optical depth / alpha

    bool is_sheet() const { return !(front < back); }
  };

  void put(const Rgb& colour, double alpha);
  void put_mixed(double front, double back);
  void pass(std::size_t end);

  std::vector<Medium> media_;      // in order
  std::size_t next_ = 0;           // index in media_: earlier media are blended or open
  std::vector<std::size_t> open_;  // media that contain the current depth
  std::vector<double> cuts_;
  Rgb colour_ = {};  // of the media blended up to now
  double alpha_ = 0;
};

}  // namespace sortlast
