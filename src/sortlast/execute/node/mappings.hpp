// Mappings: the segments of other processes that this one has mapped.
#pragma once

#include <cstddef>
#include <vector>

#include "sortlast/execute/node/segment.hpp"

namespace sortlast {

class Mappings {
 public:
  explicit Mappings(std::size_t owners) : of_(owners) {}

  // Where a segment of an owner (a number below `owners`) lies in this process. Maps it when it is asked for
  // the first time; throws Error if it cannot.
  std::byte* find(std::size_t owner, const SegmentName& name);

  // Unmap the segments that their owners have let go. Their memory stays taken until all have done so.
  void drop_closed();

 private:
  std::vector<std::vector<Segment>> of_;
};

}  // namespace sortlast
