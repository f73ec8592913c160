// Interleaving: where the pixels of a schedule lie in the image.
//
// A schedule cuts its pixels [0, n) into contiguous pieces. If pixel i of the schedule is pixel i of the
// image, these are bands of rows, and what was drawn is in few of them: the rank that gets the middle of the
// picture receives 2.4 to 3.2 times the mean of all ranks for an object in the centre, 1.6 to 1.8 times for
// the blocks of a divided volume. So blocks of the image are dealt out like cards: block b goes to hand b mod
// h, and the schedule's pixels are one hand after the other. Any contiguous piece is then spread over the
// whole image, whatever the schedule, and for h = p each piece is a hand; the most loaded rank receives 1.00
// to 1.03 times the mean.
//
// Rejected: blocks in bit-reversed order, for the halves of swaps, as half of the hands are spread over the
// image as one is; square blocks, as an image lies in rows and a range for each row of each block would be
// many short ones. What stays uneven is an image whose rows are a multiple of h blocks long: the hands are
// columns there.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

class Interleaving {
 public:
  Interleaving() = default;  // none: each pixel lies where its number says

  // n pixels dealt to `hands` (1 or more), in blocks of most_block pixels, or of a smaller power of two where
  // hands would have less than eight. None for one hand, and where even blocks of least_block would leave one
  // with less than two.
  Interleaving(std::int64_t n, std::int32_t hands);

  static constexpr std::int64_t most_block = 4096;
  static constexpr std::int64_t least_block = 64;

  bool none() const { return block_ == 0; }
  std::int64_t block() const { return block_; }  // [pixels]

  // Where the first of the schedule's pixels [begin, end), not empty, lie: as far as they are neighbours.
  Range run(Range pixels) const;
  // Where all of them lie, in their order; no range for no pixels.
  std::vector<Range> ranges(Range pixels) const;

  bool operator==(const Interleaving&) const = default;

 private:
  std::int64_t blocks_before(std::int64_t hand) const;

  std::int64_t n_ = 0;
  std::int64_t hands_ = 1;
  std::int64_t block_ = 0;
};

}  // namespace sortlast
