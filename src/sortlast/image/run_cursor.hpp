// Blocks of a sparse image in ascending order: how the runs cover each, and its pixels laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sortlast/image/active.hpp"

namespace sortlast {

// How runs cover a block: they hold none of its pixels, some, or all in one run.
enum class Cover : std::uint8_t { none, some, all };

class RunCursor {
 public:
  // A cursor at pixel `first`, in the runs' counting.
  RunCursor(std::span<const ActiveRun> runs, std::int64_t first);

  // Move on to the block [begin, end), which may not begin before the last one.
  Cover move(std::int64_t begin, std::int64_t end);

  // After a move to Cover::all: the number of the block's first pixel in what is stored.
  std::int64_t stored() const { return runs_[next_].at + (begin_ - runs_[next_].begin); }

  // After any move: the block's pixels of what is stored, empty ones between them. `format` is that of
  // both, `depth` may be null if it has none; nothing needs an alignment.
  void open(const Format& format, ConstPixels stored, std::byte* colour, std::byte* depth) const;

 private:
  template <std::size_t bytes>
  void copy_runs(const std::byte* stored, std::byte* plane) const;

  std::span<const ActiveRun> runs_;
  std::size_t next_;  // the first run that does not end at or before begin_
  std::int64_t begin_;
  std::int64_t end_;
};

}  // namespace sortlast
