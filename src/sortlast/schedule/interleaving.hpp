// Interleaving: maps the pixels of a schedule to pixels of the image.
//
// A schedule cuts its pixels [0, n) into contiguous pieces. If pixel i of the schedule is pixel i of the
// image, the pieces are bands of rows, and few of them contain what was drawn. The rank with the middle of
// the picture then receives 2.4 to 3.2 times the average of all ranks for an object in the centre, and 1.6 to
// 1.8 times the average for the blocks of a divided volume. Therefore blocks of the image are dealt like
// cards: block b goes to hand b mod h, and the schedule's pixels are one hand after the other. Any contiguous
// piece is then spread over the whole image, whatever the schedule, and for h = p each piece is a hand. The
// most loaded rank receives 1.00 to 1.03 times the average.
//
// Rejected: blocks in bit-reversed order, for the halves of swaps, because half of the hands already cover
// the image as evenly as one does; square blocks, because an image is stored in rows, and one range per row
// of each block would mean many short ranges. One case stays uneven: if the length of a row is a multiple of
// h blocks, the hands are columns.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

class Interleaving {
 public:
  Interleaving() = default;  // none: the pixels keep their indices

  // n pixels dealt to `hands` (1 or more) hands, in blocks of most_block pixels, or of a smaller power of two
  // if a hand would have fewer than eight blocks. No interleaving for one hand, or if a hand would have fewer
  // than two blocks even of size least_block.
  Interleaving(std::int64_t n, std::int32_t hands);

  static constexpr std::int64_t most_block = 4096;
  static constexpr std::int64_t least_block = 64;

  bool none() const { return block_ == 0; }
  std::int64_t block() const { return block_; }  // [pixels]

  // Image pixels of the first of the schedule's pixels [begin, end), not empty, as far as they are
  // contiguous.
  Range run(Range pixels) const;
  // Image pixels of all of them, in order; no range for no pixels.
  std::vector<Range> ranges(Range pixels) const;

  bool operator==(const Interleaving&) const = default;

 private:
  std::int64_t blocks_before(std::int64_t hand) const;

  std::int64_t n_ = 0;
  std::int64_t hands_ = 1;
  std::int64_t block_ = 0;
};

}  // namespace sortlast
