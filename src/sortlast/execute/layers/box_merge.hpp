// Box merge: which parts of box images may be blended to one before they travel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/box_pixels.hpp"
#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Parts, front to back.
struct BoxGroup {
  std::vector<BoxPixels> parts;
  Rectangle box;     // their hull
  bool one = false;  // they become one
};

class BoxMerge {
 public:
  // `gaps`: pixels of a hull that no image has may be blended as empty ones.
  BoxMerge(const BoxTable& table, const BoxPixelFormat& format, bool gaps)
      : table_(table), format_(format), gaps_(gaps) {}

  // `parts`, of these pixels of the frame and sorted front to back, in groups. No pixels of an image outside
  // a group come between its parts; those that take less room as one become one.
  std::vector<BoxGroup> groups(std::span<const BoxPixels> parts, Range pixels) const;

 private:
  struct Candidate;
  static Candidate* partner(std::span<Candidate> found, const Candidate& part);
  std::vector<BoxTable::Place> images_of_others(std::span<const BoxPixels> parts, Range pixels) const;
  bool fits(const Candidate& group, const Candidate& part, Range pixels) const;
  bool parted(const Candidate& group, const Candidate& part, std::span<const BoxTable::Place> absent) const;

  const BoxTable& table_;
  const BoxPixelFormat& format_;
  bool gaps_;
};

}  // namespace sortlast
