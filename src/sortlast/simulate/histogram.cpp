#include "sortlast/simulate/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace sortlast::simulate {

double Histogram::mean() const {
  return count_ > 0 ? static_cast<double>(sum_) / static_cast<double>(count_) : 0;
}

double Histogram::standard_deviation() const {
  if (count_ == 0) return 0;
  return std::sqrt(std::max(0.0, squares_ / static_cast<double>(count_) - mean() * mean()));
}

std::int64_t Histogram::last_of(std::size_t bin) {
  const auto b = static_cast<std::int64_t>(bin);
  if (b < 2 * sub_bins) return b;
  const std::int64_t shift = b / sub_bins - 1;
  return ((b - shift * sub_bins + 1) << shift) - 1;
}

std::int64_t Histogram::percentile(double part) const {
  const auto wanted = static_cast<std::int64_t>(std::ceil(part * static_cast<double>(count_)));
  std::int64_t seen = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) {
    seen += bins_[b];
    if (seen >= wanted && seen > 0) return std::min(last_of(b), max_);
  }
  return max_;
}

std::vector<Histogram::Bin> Histogram::bins() const {
  std::vector<Bin> made;
  if (count_ == 0) return made;
  const std::size_t begin = bin_of(min_), end = bin_of(max_) + 1;
  for (std::size_t b = begin; b < end; ++b) {
    made.push_back({b > 0 ? last_of(b - 1) + 1 : 0, last_of(b), bins_[b]});
  }
  return made;
}

}  // namespace sortlast::simulate
