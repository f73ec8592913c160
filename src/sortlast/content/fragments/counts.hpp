// Counts: the number of fragments of each pixel, as runs of consecutive pixels with the same count. Most
// pixels have the same count as the previous one, so all code that reads counts works on runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sortlast/schedule.hpp"

namespace sortlast {

struct CountRun {
  std::uint32_t count = 0;  // fragments per pixel
  std::uint32_t pixels = 0;
};

// Append one or more pixels to runs; pixels with the count of the last run extend it.
inline void add_run(std::vector<CountRun>& runs, std::uint32_t count, std::uint64_t pixels) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (!runs.empty() && runs.back().count == count && pixels <= most - runs.back().pixels) {
    runs.back().pixels += static_cast<std::uint32_t>(pixels);
    return;
  }
  for (; pixels > most; pixels -= most) runs.push_back({count, static_cast<std::uint32_t>(most)});
  runs.push_back({count, static_cast<std::uint32_t>(pixels)});
}

// Iterates over non-empty runs.
class RunReader {
 public:
  RunReader() = default;
  explicit RunReader(std::span<const CountRun> runs) : runs_(runs) { begin_run(); }

  // The count of the next pixel, and the number of pixels from there on that have it; not at the end.
  std::uint32_t count() const { return runs_.front().count; }
  std::size_t left() const { return left_; }

  // Skip `pixels` pixels, at most left().
  void pass(std::size_t pixels) {
    left_ -= pixels;
    if (left_ > 0) return;
    runs_ = runs_.subspan(1);
    begin_run();
  }

  // Skip `pixels` pixels over any number of runs, and return their number of fragments. Calls action(count,
  // pixels) for each part of a run.
  template <typename Action>
  std::size_t pass_each(std::size_t pixels, const Action& action) {
    std::size_t fragments = 0;
    while (pixels > 0) {
      const std::size_t some = std::min(pixels, left_);
      fragments += some * count();
      action(count(), some);
      pass(some);
      pixels -= some;
    }
    return fragments;
  }
  std::size_t pass_all(std::size_t pixels) {
    return pass_each(pixels, [](std::uint32_t, std::size_t) {});
  }

 private:
  void begin_run() { left_ = runs_.empty() ? 0 : runs_.front().pixels; }

  std::span<const CountRun> runs_;
  std::size_t left_ = 0;
};

// Number of fragments of the next pixels.
inline std::size_t fragments_ahead(RunReader runs, std::size_t pixels) { return runs.pass_all(pixels); }

// The number of fragments of each pixel of a rank, checked and converted to runs in one pass over memory.
class CountIndex {
 public:
  // One count per pixel, row by row of an image of this width; empty: no fragments. Throws ArgumentError for
  // a negative count.
  CountIndex(std::span<const std::int32_t> counts, std::int64_t width);

  std::size_t total() const { return firsts_.back(); }
  // Number of fragments of all pixels before this one.
  std::size_t first(std::int64_t pixel) const;

  // The runs of the whole image.
  std::span<const CountRun> runs() const { return runs_; }
  // Append the runs of some pixels.
  void append(Range pixels, std::vector<CountRun>& to) const;

 private:
  // The state at a pixel of the image, or at its end: the runs from there on, and the number of fragments
  // before it.
  struct Place {
    RunReader runs;
    std::size_t first = 0;
  };
  Place find(std::int64_t pixel) const;

  // Runs do not cross the boundaries of blocks of pixels.
  std::vector<CountRun> runs_;
  std::vector<std::size_t> firsts_;      // first fragment of every block, and the end
  std::vector<std::size_t> first_runs_;  // first run of every block
};

}  // namespace sortlast
