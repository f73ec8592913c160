// Depth layers: what a fragment holds where ranks start with several images each.
//
// A fragment of some ranks holds all their images. Neighbours in depth among them, with no other rank's image
// between them, have become one: a layer. So a rank starts with as many layers as it has runs of neighbouring
// positions, and the finished pixels are one layer, in whichever order the ranks were joined.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

class DepthLayers {
 public:
  // O(1) for a schedule without positions; else O(N log N) for N images, and it makes all p programs.
  explicit DepthLayers(const Schedule& schedule);

  struct Count {
    std::int64_t images = 0;
    std::int64_t layers = 0;

    bool operator==(const Count&) const = default;
  };
  // Of a fragment with the depth range `depth` of its program. Without positions each rank has one image, and
  // a fragment is one layer. O(N) at most.
  Count of(Range depth) const;

  std::int64_t images() const { return images_; }  // of all ranks

 private:
  std::int64_t p_;
  std::int64_t images_;
  // Empty without positions. By a rank's place in the programs' depth ranges:
  std::vector<std::int64_t> images_of_;
  // Places of two ranks, the lower first, and how many pairs of neighbours in depth they have between them;
  // both the same: neighbours that one rank has.
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> neighbours_;
};

// Layers that a rank starts with, in the mean over the ranks; 1 for a setting without positions.
double mean_layers(const Setting& setting);

}  // namespace sortlast
