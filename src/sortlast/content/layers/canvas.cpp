// Canvas.
#include "sortlast/content/layers/canvas.hpp"

namespace sortlast {

void Canvas::begin(Range pixels, Pixels to) {
  pixels_ = pixels;
  to_ = to;
  const std::int64_t rows = pixels.empty() ? 0 : (pixels.end - 1) / width_ - pixels.begin / width_ + 1;
  covered_.resize(static_cast<std::size_t>(rows));
  for (std::vector<Range>& row : covered_) row.clear();
}

// Cover a run of a row: calls first(Range) for its uncovered pixels, behind(Range) for the others.
template <typename First, typename Behind>
void Canvas::cover(std::vector<Range>& row, Range run, const First& first, const Behind& behind) {
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

void Canvas::add(const Layer& layer) {
  const Scalar scalar = layer.shape.scalar;
  const bool depth = accumulator_.format().depth;
  const std::size_t to_bytes = accumulator_.format().colour_bytes();
  const std::size_t from_bytes = Format{scalar, accumulator_.format().channels}.colour_bytes();
  const auto from = [&](std::int64_t number) {
    return ConstPixels{layer.pixels.colour + static_cast<std::size_t>(number) * from_bytes,
                       depth ? layer.pixels.depth + number : nullptr};
  };
  const auto to = [&](std::int64_t number) {
    return Pixels{to_.colour + static_cast<std::size_t>(number) * to_bytes,
                  depth ? to_.depth + number : nullptr};
  };
  auto row = covered_.begin();
  std::int64_t row_end = 0;  // none yet
  for_each_row(layer, width_, [&](Range run, std::int64_t number) {
    if (row_end == 0) {
      const std::int64_t first = run.begin / width_;
      row += first - pixels_.begin / width_;
      row_end = (first + 1) * width_;
    }
    for (; row_end <= run.begin; row_end += width_) ++row;
    cover(
        *row, run,
        [&](Range some) {
          accumulator_.begin(to(some.begin - pixels_.begin), from(number + some.begin - run.begin), scalar,
                             some.size());
        },
        [&](Range some) {
          accumulator_.join(to(some.begin - pixels_.begin), from(number + some.begin - run.begin), scalar,
                            some.size());
        });
  });
}

}  // namespace sortlast
