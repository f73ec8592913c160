// A cursor over the runs of a sparse image.
#include "sortlast/image/run_cursor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "sortlast/image/copy_pixels.hpp"

namespace sortlast {
namespace {

std::int64_t end_of(const ActiveRun& run) { return std::int64_t{run.begin} + run.count; }

}  // namespace

RunCursor::RunCursor(std::span<const ActiveRun> runs, std::int64_t first) : runs_(runs), begin_(first) {
  const auto next = std::partition_point(runs.begin(), runs.end(),
                                         [=](const ActiveRun& run) { return end_of(run) <= first; });
  next_ = static_cast<std::size_t>(next - runs.begin());
}

std::int64_t RunCursor::move(std::int64_t begin) {
  begin_ = begin;
  while (next_ < runs_.size() && end_of(runs_[next_]) <= begin) ++next_;
  if (next_ == runs_.size()) return std::numeric_limits<std::int64_t>::max();
  return runs_[next_].begin <= begin ? end_of(runs_[next_]) : runs_[next_].begin;
}

Cover RunCursor::cover(std::int64_t end) const {
  if (next_ == runs_.size() || runs_[next_].begin >= end) return Cover::none;
  return runs_[next_].begin <= begin_ && end_of(runs_[next_]) >= end ? Cover::all : Cover::some;
}

// Most runs of scattered pixels are so short that to branch on their length costs more than to copy them. So
// a piece of one size is copied, and empty pixels put over what it has too much; the next run lies behind.
template <std::size_t bytes, class Clear>
void RunCursor::copy_runs(const std::byte* stored, std::int64_t end, std::byte* plane, Clear clear) const {
  constexpr std::size_t piece = bytes <= 8 ? 32 : 64;
  static_assert(piece <= open_slack);
  const std::size_t stored_end = (std::size_t{runs_.back().at} + runs_.back().count) * bytes;
  for (std::size_t r = next_; r < runs_.size() && runs_[r].begin < end; ++r) {
    const ActiveRun& run = runs_[r];
    const std::int64_t from = std::max<std::int64_t>(run.begin, begin_);
    const auto length = static_cast<std::size_t>(std::min(end_of(run), end) - from) * bytes;
    const auto at = static_cast<std::size_t>(run.at + (from - run.begin)) * bytes;
    std::byte* const to = plane + static_cast<std::size_t>(from - begin_) * bytes;
    if (length <= piece && at + piece <= stored_end) {
      std::memcpy(to, stored + at, piece);
      clear(to + length, piece);
    } else {
      std::memcpy(to, stored + at, length);
    }
  }
}

void RunCursor::open(const Format& format, ConstPixels stored, std::int64_t end, std::byte* colour,
                     std::byte* depth) const {
  const auto pixels = static_cast<std::size_t>(end - begin_);
  std::memset(colour, 0, pixels * format.colour_bytes());
  with_colour_bytes(format.colour_bytes(), [&](auto bytes) {
    copy_runs<bytes>(stored.colour, end, colour,
                     [](std::byte* to, std::size_t length) { std::memset(to, 0, length); });
  });
  if (!format.depth) return;
  const auto clear = [](std::byte* to, std::size_t length) {
    std::fill_n(reinterpret_cast<float*>(to), length / sizeof(float), std::numeric_limits<float>::infinity());
  };
  clear(depth, pixels * sizeof(float));
  copy_runs<sizeof(float)>(reinterpret_cast<const std::byte*>(stored.depth), end, depth, clear);
}

}  // namespace sortlast
