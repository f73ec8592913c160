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

RunCursor::RunCursor(std::span<const ActiveRun> runs, std::int64_t first)
    : runs_(runs), begin_(first), end_(first) {
  const auto next = std::partition_point(runs.begin(), runs.end(),
                                         [=](const ActiveRun& run) { return end_of(run) <= first; });
  next_ = static_cast<std::size_t>(next - runs.begin());
}

Cover RunCursor::move(std::int64_t begin, std::int64_t end) {
  begin_ = begin;
  end_ = end;
  while (next_ < runs_.size() && end_of(runs_[next_]) <= begin) ++next_;
  if (next_ == runs_.size() || runs_[next_].begin >= end) return Cover::none;
  return runs_[next_].begin <= begin && end_of(runs_[next_]) >= end ? Cover::all : Cover::some;
}

template <std::size_t bytes>
void RunCursor::copy_runs(const std::byte* stored, std::byte* plane) const {
  for (std::size_t r = next_; r < runs_.size() && runs_[r].begin < end_; ++r) {
    const ActiveRun& run = runs_[r];
    const std::int64_t begin = std::max<std::int64_t>(run.begin, begin_);
    const std::int64_t end = std::min(end_of(run), end_);
    const std::int64_t at = run.at + (begin - run.begin);
    copy_pixels<bytes>(plane + static_cast<std::size_t>(begin - begin_) * bytes,
                       stored + static_cast<std::size_t>(at) * bytes, static_cast<std::size_t>(end - begin));
  }
}

void RunCursor::open(const Format& format, ConstPixels stored, std::byte* colour, std::byte* depth) const {
  const auto pixels = static_cast<std::size_t>(end_ - begin_);
  std::memset(colour, 0, pixels * format.colour_bytes());
  with_colour_bytes(format.colour_bytes(), [&](auto bytes) { copy_runs<bytes>(stored.colour, colour); });
  if (!format.depth) return;
  std::fill_n(reinterpret_cast<float*>(depth), pixels, std::numeric_limits<float>::infinity());
  copy_runs<sizeof(float)>(reinterpret_cast<const std::byte*>(stored.depth), depth);
}

}  // namespace sortlast
