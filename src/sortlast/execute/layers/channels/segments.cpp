// Segments: a walk along two rows of runs.
#include "sortlast/execute/layers/channels/segments.hpp"

#include <algorithm>

namespace sortlast {
namespace {

// A place in a row of runs.
class Walk {
 public:
  static constexpr std::uint64_t end = ~std::uint64_t{0};

  explicit Walk(std::span<const ActiveRun> runs) : runs_(runs) {}

  // First pixel not passed yet; `end` behind the last.
  std::uint64_t begin() const {
    return run_ < runs_.size() ? std::uint64_t{runs_[run_].begin} + passed_ : end;
  }
  // The end of its run.
  std::uint64_t run_end() const {
    return run_ < runs_.size() ? std::uint64_t{runs_[run_].begin} + runs_[run_].count : end;
  }
  std::uint32_t at() const { return runs_[run_].at + passed_; }

  void pass(std::uint32_t pixels) {
    passed_ += pixels;
    if (passed_ < runs_[run_].count) return;
    passed_ = 0;
    ++run_;
  }

 private:
  std::span<const ActiveRun> runs_;
  std::size_t run_ = 0;
  std::uint32_t passed_ = 0;  // pixels of the run
};

}  // namespace

std::vector<Segment> segments_of(std::span<const ActiveRun> front, std::span<const ActiveRun> back) {
  std::vector<Segment> segments;
  segments.reserve(front.size() + back.size());
  Walk walks[] = {Walk(front), Walk(back)};
  auto& [in_front, in_back] = walks;
  std::uint32_t at = 0;
  while (true) {
    const std::uint64_t begin = std::min(in_front.begin(), in_back.begin());
    if (begin == Walk::end) return segments;
    std::uint64_t end = Walk::end;
    for (const Walk& walk : walks) end = std::min(end, walk.begin() == begin ? walk.run_end() : walk.begin());
    Segment segment{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin), at};
    if (in_front.begin() == begin) segment.front = in_front.at();
    if (in_back.begin() == begin) segment.back = in_back.at();
    segments.push_back(segment);
    for (Walk& walk : walks)
      if (walk.begin() == begin) walk.pass(segment.count);
    at += segment.count;
  }
}

std::vector<ActiveRun> runs_of(std::span<const Segment> segments) {
  std::vector<ActiveRun> runs;
  for (const Segment& segment : segments) {
    if (!runs.empty() && runs.back().begin + runs.back().count == segment.begin) {
      runs.back().count += segment.count;
    } else {
      runs.push_back({segment.begin, segment.count, segment.at});
    }
  }
  return runs;
}

}  // namespace sortlast
