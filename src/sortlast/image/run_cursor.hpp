// Blocks of a sparse image in ascending order: how the runs cover each, and its pixels laid out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sortlast/image/active.hpp"

namespace sortlast {

// How runs cover a block: they hold none of its pixels, some, or all in one run.
enum class Cover : std::uint8_t { none, some, all };

// Bytes behind a plane that open() may write.
inline constexpr std::size_t open_slack = 64;

class RunCursor {
 public:
  // A cursor at pixel `first`, in the runs' counting.
  RunCursor(std::span<const ActiveRun> runs, std::int64_t first);

  // Move on to the block that begins at a pixel, not before the last one. Returns where the run, or the gap
  // between runs, ends in which that pixel lies.
  std::int64_t move(std::int64_t begin);

  // How the runs cover the block if it ends there.
  Cover cover(std::int64_t end) const;

  // If the cover is all: the number of the block's first pixel in what is stored.
  std::int64_t stored() const { return runs_[next_].at + (begin_ - runs_[next_].begin); }

  // If the cover is some: lay the block out, the pixels of what is stored and empty ones between them.
  // `format` is that of both; `depth` may be null if it has none.
  void open(const Format& format, ConstPixels stored, std::int64_t end, std::byte* colour,
            std::byte* depth) const;

 private:
  template <std::size_t bytes, class Clear>
  void copy_runs(const std::byte* stored, std::int64_t end, std::byte* plane, Clear clear) const;

  std::span<const ActiveRun> runs_;
  std::size_t next_;  // the first run that does not end at or before begin_
  std::int64_t begin_;
};

}  // namespace sortlast
