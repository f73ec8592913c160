// Box merge.
//
// Parts that overlap become one where that takes less room, and where no pixels of another image come between
// them: one whose box holds none of theirs is no obstacle. All boxes are known to every rank, so a rank needs
// nobody's images to find that out. What comes between is taken to fill its box.
#include "sortlast/execute/layers/box_merge.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace sortlast {
namespace {

using Place = BoxTable::Place;

Rectangle hull(const Rectangle& a, const Rectangle& b) {
  return {std::min(a.x0, b.x0), std::min(a.y0, b.y0), std::max(a.x1, b.x1), std::max(a.y1, b.y1)};
}

bool overlap(const Rectangle& a, const Rectangle& b) {
  return std::max(a.x0, b.x0) < std::min(a.x1, b.x1) && std::max(a.y0, b.y0) < std::min(a.y1, b.y1);
}

// The rows of a box that the pixels touch.
Rectangle in_rows(Rectangle box, Range pixels, std::int64_t width) {
  box.y0 = std::max(box.y0, pixels.begin / width);
  box.y1 = std::min(box.y1, (pixels.end - 1) / width + 1);
  return box;
}

}  // namespace

// A group as it grows.
struct BoxMerge::Candidate {
  BoxGroup group;
  Place first = 0;
  Place last = 0;
  bool whole = false;       // all its pixels are stored: else it stays alone
  std::int64_t stored = 0;  // pixels of its parts
  std::size_t bytes = 0;    // that these take in a string
};

// Whether the hull of both has few gaps, or none where there must not be any.
bool BoxMerge::fits(const Candidate& group, const Candidate& part, Range pixels) const {
  const Rectangle both = hull(group.group.box, part.group.box);
  if (!gaps_ && both != group.group.box && both != part.group.box) return false;
  return pixels_of_box(both, pixels, table_.frame().width).size() <= group.stored + part.stored;
}

// Whether an image of ranks without parts here lies between a group and a part that would join it.
bool BoxMerge::parted(const Candidate& group, const Candidate& part, std::span<const Place> absent) const {
  const auto begin = std::upper_bound(absent.begin(), absent.end(), group.first);
  const auto end = std::lower_bound(begin, absent.end(), part.first);
  return std::any_of(begin, end, [&](Place place) { return overlap(table_.at(place).box, part.group.box); });
}

// Images of ranks without parts here, front to back.
std::vector<Place> BoxMerge::images_of_others(std::span<const BoxPixels> parts, Range pixels) const {
  std::vector<std::int32_t> here;
  for (const BoxPixels& part : parts)
    for (const Place place : {part.first, part.last}) here.push_back(table_.at(place).rank);
  std::sort(here.begin(), here.end());
  std::vector<Place> places = table_.meeting(pixels);
  std::erase_if(places, [&](Place place) {
    return std::binary_search(here.begin(), here.end(), table_.at(place).rank);
  });
  return places;
}

// What a part may join: the rearmost that it overlaps, if all others lie in front of that. Null if there is
// none.
BoxMerge::Candidate* BoxMerge::partner(std::span<Candidate> found, const Candidate& part) {
  Candidate* rearmost = nullptr;
  Place before = 0;  // where the last of the others ends
  bool others = false;
  for (Candidate& each : found) {
    if (!overlap(each.group.box, part.group.box)) continue;
    const bool behind = rearmost == nullptr || each.last > rearmost->last;
    const Candidate* const other = behind ? rearmost : &each;
    if (behind) rearmost = &each;
    if (other == nullptr) continue;
    before = std::max(before, other->last);
    others = true;
  }
  if (rearmost == nullptr || (others && before > rearmost->first)) return nullptr;
  return rearmost->whole && rearmost->last < part.first ? rearmost : nullptr;
}

std::vector<BoxGroup> BoxMerge::groups(std::span<const BoxPixels> parts, Range pixels) const {
  std::vector<Candidate> found;
  std::optional<std::vector<Place>> others;
  for (const BoxPixels& part : parts) {
    // Runs of an image whose empty pixels are left out stay together.
    const Range all = pixels_of_box(part.box, pixels, table_.frame().width);
    const bool whole = part.stored == all;
    if (!whole && !found.empty() && !found.back().whole && found.back().first == part.first) {
      found.back().group.parts.push_back(part);
      continue;
    }
    Candidate next;
    next.group.parts.push_back(part);
    next.group.box = in_rows(part.box, pixels, table_.frame().width);
    next.first = part.first;
    next.last = part.last;
    next.whole = whole;
    next.stored = part.stored.size();
    next.bytes = format_.bytes(part.blended, part.stored.size());
    Candidate* const to = whole ? partner(found, next) : nullptr;
    bool joins = to != nullptr && fits(*to, next, pixels);
    if (joins) {
      if (!others) others = images_of_others(parts, pixels);
      joins = !parted(*to, next, *others);
    }
    if (!joins) {
      found.push_back(std::move(next));
      continue;
    }
    to->group.parts.push_back(part);
    to->group.box = hull(to->group.box, next.group.box);
    to->last = next.last;
    to->stored += next.stored;
    to->bytes += next.bytes;
  }

  std::vector<BoxGroup> groups;
  for (Candidate& each : found) {
    const std::int64_t stored = pixels_of_box(each.group.box, pixels, table_.frame().width).size();
    each.group.one = each.whole && each.group.parts.size() > 1 && format_.bytes(true, stored) < each.bytes;
    groups.push_back(std::move(each.group));
  }
  return groups;
}

}  // namespace sortlast
