// Histogram of a duration: exact count, mean and extremes, percentiles within 1/32.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sortlast::simulate {

class Histogram {
 public:
  // `count` values of [first, last].
  struct Bin {
    std::int64_t first = 0, last = 0, count = 0;
  };

  // `cycles` is 0 or more. Values below 32 have a bin each, and so has every 32nd part of an octave above.
  void add(std::int64_t cycles) {
    ++bins_[bin_of(cycles)];
    ++count_;
    sum_ += cycles;
    squares_ += static_cast<double>(cycles) * static_cast<double>(cycles);
    if (cycles > max_) max_ = cycles;
    if (cycles < min_) min_ = cycles;
  }

  std::int64_t count() const { return count_; }
  double mean() const;                // 0 without values
  double standard_deviation() const;  // 0 without values
  std::int64_t min() const { return count_ > 0 ? min_ : 0; }
  std::int64_t max() const { return max_; }
  // Least value that `part` (0 to 1) of all values do not exceed, to the upper end of its bin.
  std::int64_t percentile(double part) const;
  // From the bin of the least value to that of the greatest, empty ones between them too.
  std::vector<Bin> bins() const;

  bool operator==(const Histogram&) const = default;

 private:
  static constexpr int sub_bits = 5;
  static constexpr std::int64_t sub_bins = std::int64_t{1} << sub_bits;

  static std::size_t bin_of(std::int64_t cycles) {
    const auto value = static_cast<std::uint64_t>(cycles);
    if (cycles < sub_bins) return static_cast<std::size_t>(value);
    const int shift = static_cast<int>(std::bit_width(value)) - 1 - sub_bits;
    return static_cast<std::size_t>((static_cast<std::uint64_t>(shift) << sub_bits) + (value >> shift));
  }
  static std::int64_t last_of(std::size_t bin);  // largest value of a bin

  std::array<std::int64_t, static_cast<std::size_t>(sub_bins) * 40> bins_{};
  std::int64_t count_ = 0, sum_ = 0, max_ = 0, min_ = INT64_MAX;
  double squares_ = 0;
};

}  // namespace sortlast::simulate
