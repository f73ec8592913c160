// blend_boxes: blend images of which only a box holds anything, reading nothing outside the boxes.
#include "bench/boxed_blend.hpp"

#include <algorithm>
#include <vector>

#include "sortlast/tile.hpp"

namespace sortlast::bench {
namespace {

bool covers(const Box& box, std::int64_t x, std::int64_t y) {
  return box[0] <= x && x < box[2] && box[1] <= y && y < box[3];
}

// Cut columns [begin, end) of row y where a box begins or ends.
void cut_row(std::span<const Box> boxes, std::int64_t y, std::int64_t begin, std::int64_t end,
             std::vector<std::int64_t>& cuts) {
  cuts.assign({begin, end});
  for (const Box& box : boxes) {
    if (y < box[1] || box[3] <= y) continue;
    cuts.push_back(std::clamp(box[0], begin, end));
    cuts.push_back(std::clamp(box[2], begin, end));
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
}

}  // namespace

void blend_boxes(Op op, const Format& format, std::span<const ConstPixels> images, std::span<const Box> boxes,
                 std::int64_t width, Range range, Pixels out) {
  std::vector<std::int64_t> cuts;
  std::vector<Link> chain;
  for (std::int64_t begin = range.begin; begin < range.end;) {
    const std::int64_t y = begin / width;
    const std::int64_t row = y * width;
    const std::int64_t end = std::min(range.end, row + width);
    cut_row(boxes, y, begin - row, end - row, cuts);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      const std::int64_t x = cuts[i];
      const std::int64_t count = cuts[i + 1] - x;
      const Pixels place = advance(out, format, row + x - range.begin);

      // Blend the images whose boxes hold this stretch.
      chain.clear();
      for (std::size_t k = 0; k < images.size(); ++k) {
        if (!covers(boxes[k], x, y)) continue;
        Link link;
        link.pixels = advance(images[k], format, row + x);
        link.scalar = format.scalar;
        chain.push_back(link);
      }
      if (chain.empty()) {
        fill_absent(op, format, false, place, count);
      } else {
        blend(op, format.channels, format.depth, chain, place, format.scalar, count);
      }
    }
    begin = end;
  }
}

}  // namespace sortlast::bench
