// Count index.
#include "sortlast/execute/layers/fragments/count_index.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t block = 1024;  // pixels
constexpr std::size_t word = sizeof(std::uint64_t);

// The runs of one block, so many of them: first marks the pixels behind which another count begins, a byte
// each, then goes from mark to mark.
std::size_t find_runs(std::span<const std::int32_t> counts, std::array<CountRun, block>& runs) {
  std::array<std::uint8_t, block> ends{};
  const std::size_t last = counts.size() - 1;
  for (std::size_t i = 0; i < last; ++i) ends[i] = counts[i] != counts[i + 1] ? 1 : 0;
  ends[last] = 1;
  std::size_t found = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < counts.size(); at += word) {
    std::uint64_t marks = 0;
    std::memcpy(&marks, ends.data() + at, word);
    for (; marks != 0; marks &= marks - 1) {
      const std::size_t end = at + static_cast<std::size_t>(std::countr_zero(marks)) / 8 + 1;
      runs[found++] = {static_cast<std::uint32_t>(counts[begin]), static_cast<std::uint32_t>(end - begin)};
      begin = end;
    }
  }
  return found;
}

[[noreturn]] void refuse(std::int64_t pixel, std::int64_t width, std::int32_t count) {
  throw ArgumentError("the count of fragments of pixel (" + std::to_string(pixel % width) + ", " +
                      std::to_string(pixel / width) + ") is " + std::to_string(count) +
                      "; expected 0 or more");
}

}  // namespace

CountIndex::CountIndex(std::span<const std::int32_t> counts, std::int64_t width) {
  const auto pixels = static_cast<std::int64_t>(counts.size());
  std::size_t total = 0;
  std::array<CountRun, block> found;
  for (std::int64_t begin = 0; begin < pixels; begin += block) {
    const auto some = counts.subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(std::min(block, pixels - begin)));
    std::int32_t bits = 0;
    for (const std::int32_t count : some) bits |= count;
    if (bits < 0) {
      const auto bad = std::find_if(some.begin(), some.end(), [](std::int32_t count) { return count < 0; });
      refuse(begin + (bad - some.begin()), width, *bad);
    }
    firsts_.push_back(total);
    first_runs_.push_back(runs_.size());
    std::size_t number = 1;
    found[0] = {0, static_cast<std::uint32_t>(some.size())};  // as of most of many an image
    if (bits != 0) number = find_runs(some, found);
    const std::span<const CountRun> runs(found.data(), number);
    runs_.insert(runs_.end(), runs.begin(), runs.end());
    for (const CountRun& run : runs) total += std::size_t{run.count} * run.pixels;
  }
  firsts_.push_back(total);
}

CountIndex::Place CountIndex::find(std::int64_t pixel) const {
  const auto at = static_cast<std::size_t>(pixel / block);
  if (at >= first_runs_.size()) return {RunReader(), total()};
  Place place{RunReader(std::span(runs_).subspan(first_runs_[at])), firsts_[at]};
  place.first += place.runs.pass_all(static_cast<std::size_t>(pixel % block));
  return place;
}

std::size_t CountIndex::first(std::int64_t pixel) const { return find(pixel).first; }

void CountIndex::append(Range pixels, std::vector<CountRun>& to) const {
  if (runs_.empty()) {
    if (!pixels.empty()) add_run(to, 0, static_cast<std::uint64_t>(pixels.size()));
    return;
  }
  find(pixels.begin)
      .runs.pass_each(static_cast<std::size_t>(pixels.size()),
                      [&](std::uint32_t count, std::size_t some) { add_run(to, count, some); });
}

}  // namespace sortlast
