// Depth layers: the contents of fragments if ranks start with several images each.
//
// A fragment of some ranks holds all their images. Images at consecutive depth positions, with no other
// rank's image between them, have become one layer. A rank therefore starts with one layer per run of
// consecutive positions, and the finished pixels are one layer, in whatever order the ranks were joined.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

class DepthLayers {
 public:
  // O(1) for a schedule without positions; otherwise O(N log N) for N images, and it makes all p programs.
  explicit DepthLayers(const Schedule& schedule);

  struct Count {
    std::int64_t images = 0;
    std::int64_t layers = 0;

    bool operator==(const Count&) const = default;
  };
  // Counts for a fragment with the depth range `depth` of its program. Without positions, each rank has one
  // image and a fragment is one layer. O(N) at most.
  Count of(Range depth) const;

  std::int64_t images() const { return images_; }  // of all ranks

 private:
  std::int64_t p_;
  std::int64_t images_;
  // Empty without positions. Images per place of a rank in the programs' depth ranges.
  std::vector<std::int64_t> images_of_;
  // The places of two ranks, the lower first, and the number of neighbour pairs in depth between them. Equal
  // places count neighbours within one rank.
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> neighbours_;
};

// Average number of layers that a rank starts with; 1 for a setting without positions.
double mean_layers(const Setting& setting);

}  // namespace sortlast
