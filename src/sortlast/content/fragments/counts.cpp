// Count index.
#include "sortlast/content/fragments/counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::int64_t block = 1024;  // pixels
constexpr std::size_t chunk = 16;     // pixels; their counts fill one cache line
constexpr std::size_t word = sizeof(std::uint64_t);

using Counts __attribute__((vector_size(16))) = std::int32_t;
constexpr std::size_t lanes = sizeof(Counts) / sizeof(std::int32_t);

Counts load_counts(const std::int32_t* from) {
  Counts counts;
  std::memcpy(&counts, from, sizeof counts);
  return counts;
}

std::int32_t any_bit(const Counts& counts) { return counts[0] | counts[1] | counts[2] | counts[3]; }

// The runs and bits of a block of counts.
struct Found {
  std::size_t runs = 0;
  std::int32_t bits = 0;  // bitwise OR of all counts
};

// Find the runs of one block. Most chunks have a single count and are passed as a whole. In the others, the
// last pixel before each change of the count is marked in a byte, and the marks are visited one by one.
Found find_runs(std::span<const std::int32_t> counts, std::array<CountRun, block>& runs) {
  Found found;
  std::size_t begin = 0;
  const auto end_run = [&](std::size_t end) {
    runs[found.runs++] = {static_cast<std::uint32_t>(counts[begin]), static_cast<std::uint32_t>(end - begin)};
    begin = end;
  };
  std::size_t at = 0;
  Counts bits = {};
  for (; at + chunk < counts.size(); at += chunk) {
    const std::int32_t* const here = counts.data() + at;
    __builtin_prefetch(here + block);  // hardware prefetching stops at the end of a page
    Counts differ = {};
    for (std::size_t i = 0; i < chunk; i += lanes) {
      differ |= load_counts(here + i) ^ load_counts(here + i + 1);
      bits |= load_counts(here + i);
    }
    if (any_bit(differ) == 0) continue;
    std::array<std::uint8_t, chunk> ends;
    for (std::size_t i = 0; i < chunk; ++i) ends[i] = here[i] != here[i + 1] ? 1 : 0;
    for (std::size_t first = 0; first < chunk; first += word) {
      std::uint64_t marks = 0;
      std::memcpy(&marks, ends.data() + first, word);
      for (; marks != 0; marks &= marks - 1)
        end_run(at + first + static_cast<std::size_t>(std::countr_zero(marks)) / 8 + 1);
    }
  }
  found.bits = any_bit(bits);
  for (; at < counts.size(); ++at) {
    found.bits |= counts[at];
    if (at + 1 == counts.size() || counts[at] != counts[at + 1]) end_run(at + 1);
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
  std::array<CountRun, block> runs;
  for (std::int64_t begin = 0; begin < pixels; begin += block) {
    const auto some = counts.subspan(static_cast<std::size_t>(begin),
                                     static_cast<std::size_t>(std::min(block, pixels - begin)));
    const Found found = find_runs(some, runs);
    if (found.bits < 0) {
      const auto bad = std::find_if(some.begin(), some.end(), [](std::int32_t count) { return count < 0; });
      refuse(begin + (bad - some.begin()), width, *bad);
    }
    firsts_.push_back(total);
    first_runs_.push_back(runs_.size());
    runs_.insert(runs_.end(), runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(found.runs));
    for (std::size_t i = 0; i < found.runs; ++i) total += std::size_t{runs[i].count} * runs[i].pixels;
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
