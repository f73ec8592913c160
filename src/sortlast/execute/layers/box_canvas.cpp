// BoxCanvas.
#include "sortlast/execute/layers/box_canvas.hpp"

namespace sortlast {

void BoxCanvas::begin(Range pixels, Pixels to) {
  pixels_ = pixels;
  to_ = to;
  const std::int64_t rows = pixels.empty() ? 0 : (pixels.end - 1) / width_ - pixels.begin / width_ + 1;
  covered_.resize(static_cast<std::size_t>(rows));
  for (std::vector<Range>& row : covered_) row.clear();
}

// Cover a run of a row: calls first(Range) for its pixels that had nothing, behind(Range) for the others.
template <typename First, typename Behind>
void BoxCanvas::cover(std::vector<Range>& row, Range run, const First& first, const Behind& behind) {
  auto next = std::find_if(row.begin(), row.end(), [&](Range some) { return some.end >= run.begin; });
  if (next != row.end() && next->contains(run)) {
    behind(run);
    return;
  }
  const auto touched = next;
  Range all = run;
  std::int64_t at = run.begin;
  for (; next != row.end() && next->begin <= run.end; ++next) {
    if (at < next->begin) first(Range{at, next->begin});
    at = std::max(at, next->begin);
    const std::int64_t end = std::min(next->end, run.end);
    if (at < end) behind(Range{at, end});
    at = std::max(at, end);
    all = {std::min(all.begin, next->begin), std::max(all.end, next->end)};
  }
  if (at < run.end) first(Range{at, run.end});
  if (touched == next) {
    row.insert(touched, all);
  } else {
    *touched = all;
    row.erase(touched + 1, next);
  }
}

void BoxCanvas::add(const BoxPixels& part, Scalar scalar) {
  Format stored = accumulator_.format();
  stored.scalar = scalar;
  const std::int64_t first_row = pixels_.begin / width_;
  for_each_row(part, width_, [&](Range run, std::int64_t number) {
    const ConstPixels from = advance(part.pixels, stored, number);
    const auto place = [&](Range some) {
      return advance(to_, accumulator_.format(), some.begin - pixels_.begin);
    };
    cover(
        covered_[static_cast<std::size_t>(run.begin / width_ - first_row)], run,
        [&](Range some) {
          accumulator_.begin(place(some), advance(from, stored, some.begin - run.begin), scalar, some.size());
        },
        [&](Range some) {
          accumulator_.join(place(some), advance(from, stored, some.begin - run.begin), scalar, some.size());
        });
  });
}

}  // namespace sortlast
