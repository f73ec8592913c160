// Count index: how many fragments each pixel of a rank has, checked and taken as runs in one pass over
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/fragments/count_runs.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class CountIndex {
 public:
  // One count a pixel, row by row of an image of this width; none: no pixel has any. Throws ArgumentError for
  // a negative one.
  CountIndex(std::span<const std::int32_t> counts, std::int64_t width);

  std::size_t total() const { return firsts_.back(); }
  // Fragments of all pixels before this one.
  std::size_t first(std::int64_t pixel) const;

  // The runs of the whole image.
  std::span<const CountRun> runs() const { return runs_; }
  // Append those of some pixels.
  void append(Range pixels, std::vector<CountRun>& to) const;

 private:
  // At the pixel, which is in the image or its end, and the fragments before it.
  struct Place {
    RunReader runs;
    std::size_t first = 0;
  };
  Place find(std::int64_t pixel) const;

  // No run reaches from one block of pixels into the next.
  std::vector<CountRun> runs_;
  std::vector<std::size_t> firsts_;      // fragment, of every block, and the end
  std::vector<std::size_t> first_runs_;  // of every block
};

}  // namespace sortlast
