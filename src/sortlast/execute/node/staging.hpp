// Staging: a copy of an image in a segment, for processes that cannot read it where it is.
#pragma once

#include <cstdint>
#include <optional>

#include "sortlast/execute/node/allocations.hpp"
#include "sortlast/execute/node/segment.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

class Staging {
 public:
  struct Places {
    Place colour;
    Place depth;
  };
  // Copy `part` of the `count` pixels of an image; the rest is undefined. The copy stays until the next one,
  // whose memory it is. Throws Error.
  Places copy(ConstPixels pixels, const Format& format, std::int64_t count, Range part);

 private:
  std::optional<Segment> segment_;
};

}  // namespace sortlast
