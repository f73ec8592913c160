// Box groups.
#include "sortlast/execute/layers/box_groups.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace sortlast {
namespace {

using Place = BoxTable::Place;

// Runs that may be blended: they overlap, each with those before it, and nothing else comes between.
struct Group {
  Range pixels;
  Place first = 0;
  Place last = 0;
  std::vector<BoxRun> runs;  // front to back
};

// Sorts runs, which come front to back, into groups.
//
// Two kinds of pixels may not come between. Those of ranks none of whose runs are here: what they will bring
// is not known, so their boxes must not hold any pixel of the group. And those of runs that are here, in
// groups that are closed: with any part behind the group's front, they must not overlap what joins it, be
// they blended in the end or not.
class Grouping {
 public:
  Grouping(const BoxTable& table, std::span<const BoxRun> runs, Range pixels) : table_(table) {
    std::set<std::int32_t> here;
    for (const BoxRun& run : runs) here.insert({table.at(run.first).rank, table.at(run.last).rank});
    for (const Place place : table.meeting(pixels))
      if (!here.contains(table.at(place).rank)) absent_.push_back(place);
  }

  void add(const BoxRun& run) {
    // Find the groups that the run overlaps: they lie side by side.
    auto begin = open_.lower_bound(run.pixels.begin);
    if (begin != open_.begin() && std::prev(begin)->second.pixels.end > run.pixels.begin) --begin;
    auto end = begin;
    while (end != open_.end() && end->first < run.pixels.end) ++end;

    // Join the one, or close them all.
    if (begin != end && std::next(begin) == end && joins(begin->second, run)) {
      Group group = std::move(begin->second);
      open_.erase(begin);
      group.pixels = hull(group, run);
      group.last = run.last;
      group.runs.push_back(run);
      open_.emplace(group.pixels.begin, std::move(group));
      return;
    }
    for (auto each = begin; each != end; ++each) closed_.push_back(std::move(each->second));
    open_.erase(begin, end);
    open_.emplace(run.pixels.begin, Group{run.pixels, run.first, run.last, {run}});
  }

  std::vector<Group> take() {
    for (auto& [begin, group] : open_) closed_.push_back(std::move(group));
    open_.clear();
    return std::move(closed_);
  }

 private:
  static Range hull(const Group& group, const BoxRun& run) {
    return {std::min(group.pixels.begin, run.pixels.begin), std::max(group.pixels.end, run.pixels.end)};
  }

  bool joins(const Group& group, const BoxRun& run) const {
    if (run.first <= group.last) return false;
    const auto between = [&](const Group& closed) {
      return closed.last >= group.first && !intersection(closed.pixels, run.pixels).empty();
    };
    if (std::any_of(closed_.begin(), closed_.end(), between)) return false;
    const Range pixels = hull(group, run);
    for (auto place = std::lower_bound(absent_.begin(), absent_.end(), group.first);
         place != absent_.end() && *place <= run.last; ++place)
      if (table_.meets(*place, pixels) && !blended(*place, group.pixels, group, pixels) &&
          !blended(*place, run.pixels, run, pixels))
        return false;
    return true;
  }

  // Whether the image was blended into a part of these pixels already, and has none in the rest.
  template <typename Part>
  bool blended(Place place, Range part, const Part& in, Range pixels) const {
    return place >= in.first && place <= in.last && table_.meets(place, part) &&
           !table_.meets(place, {pixels.begin, part.begin}) && !table_.meets(place, {part.end, pixels.end});
  }

  const BoxTable& table_;
  std::vector<Place> absent_;           // images of ranks without runs here
  std::map<std::int64_t, Group> open_;  // by first pixel; they do not overlap
  std::vector<Group> closed_;
};

}  // namespace

std::vector<std::vector<BoxRun>> group_runs(const BoxTable& table, std::span<const BoxRun> runs,
                                            Range pixels) {
  Grouping grouping(table, runs, pixels);
  for (const BoxRun& run : runs) grouping.add(run);
  std::vector<std::vector<BoxRun>> groups;
  for (Group& group : grouping.take()) groups.push_back(std::move(group.runs));
  return groups;
}

}  // namespace sortlast
