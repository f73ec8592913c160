// Interval blend.
#include "sortlast/content/fragments/interval_blend.hpp"

#include <algorithm>
#include <cmath>

namespace sortlast {

void IntervalBlend::add(const Colour& colour, float depth, float back) {
  Medium medium{depth, back, std::clamp<double>(colour[3], 0, 1), 0, {}, {}};
  if (medium.alpha < 1) medium.optical_depth = -std::log1p(-medium.alpha);
  const double brighter = medium.optical_depth > 0 ? medium.optical_depth / medium.alpha : 1;
  for (std::size_t i = 0; i < 3; ++i) {
    medium.colour[i] = colour[static_cast<int>(i)];
    medium.emission[i] = medium.colour[i] * brighter;
  }
  media_.push_back(medium);
}

void IntervalBlend::put(const Rgb& colour, double alpha) {
  const double through = 1 - alpha_;
  for (std::size_t i = 0; i < 3; ++i) colour_[i] += through * colour[i];
  alpha_ += through * alpha;
}

// Mix the open media between two depths; none of them begins or ends in between.
void IntervalBlend::put_mixed(double front, double back) {
  double optical_depth = 0;
  Rgb emission = {};
  int opaque = 0;
  Rgb of_opaque = {};
  for (const std::size_t each : open_) {
    const Medium& medium = media_[each];
    const double part = (back - front) / (medium.back - medium.front);
    const bool is_opaque = medium.alpha == 1;
    if (is_opaque) ++opaque;
    for (std::size_t i = 0; i < 3; ++i)
      (is_opaque ? of_opaque : emission)[i] += is_opaque ? medium.colour[i] : part * medium.emission[i];
    optical_depth += part * medium.optical_depth;
  }
  if (opaque > 0) {
    for (double& value : of_opaque) value /= opaque;
    put(of_opaque, 1);
    return;
  }
  const double alpha = -std::expm1(-optical_depth);
  const double dimmed = optical_depth > 0 ? alpha / optical_depth : 1;
  for (double& value : emission) value *= dimmed;
  put(emission, alpha);
}

// Open the media before `end`, which begin at the same depth: sheets lie in front.
void IntervalBlend::pass(std::size_t end) {
  for (std::size_t i = next_; i < end; ++i)
    if (media_[i].is_sheet()) put(media_[i].colour, media_[i].alpha);
  for (; next_ < end; ++next_)
    if (!media_[next_].is_sheet()) open_.push_back(next_);
}

Colour IntervalBlend::colour() {
  cuts_.clear();
  for (const Medium& medium : media_)
    for (const double depth : {medium.front, medium.back})
      if (std::isfinite(depth)) cuts_.push_back(depth);
  std::sort(cuts_.begin(), cuts_.end());
  cuts_.erase(std::unique(cuts_.begin(), cuts_.end()), cuts_.end());

  colour_ = {};
  alpha_ = 0;
  next_ = 0;
  open_.clear();
  for (std::size_t cut = 0; cut < cuts_.size() && alpha_ < 1; ++cut) {
    std::size_t end = next_;
    while (end < media_.size() && media_[end].front <= cuts_[cut]) ++end;
    pass(end);
    std::erase_if(open_, [&](std::size_t each) { return media_[each].back <= cuts_[cut]; });
    if (!open_.empty()) put_mixed(cuts_[cut], cuts_[cut + 1]);
  }
  if (alpha_ < 1) pass(media_.size());  // at infinity, and NaN
  return Colour{static_cast<float>(colour_[0]), static_cast<float>(colour_[1]),
                static_cast<float>(colour_[2]), static_cast<float>(alpha_)};
}

}  // namespace sortlast
