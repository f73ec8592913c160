// Cycles: splits boxes that cover each other in a cycle until no cycles are left.
//
// A cut removes pairs from the relation and adds none. Cuts of boxes that share no cycle are therefore
// independent, and the minimum number of cuts of a scene is the sum over its sets. While a plane moves
// between two consecutive faces of the set, or between a face and the eye, no pair changes. The faces and the
// eye are thus the only planes to try, and trying them all is exact for successive cuts that each go through
// a whole part.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "sortlast/visibility/parts.hpp"
#include "sortlast/visibility/planes.hpp"

namespace sortlast {
namespace {

constexpr std::size_t most_tried = 32;   // maximum number of boxes for which all cuts are tried
constexpr double most_pairs_seen = 1e7;  // limit of the search for the minimum number of cuts

// Sets of up to 64 parts.
using Bits = std::uint64_t;
Bits bit(std::size_t i) { return Bits{1} << i; }

// For each part, the parts that share a cycle with it (including itself, if there are any).
std::vector<Bits> cycles_of(std::span<const Part> parts, const Box& eye) {
  const std::size_t n = parts.size();
  std::vector<Bits> reach(n, 0);
  for (std::size_t b = 0; b < n; ++b) {
    const Box from_eye = hull(parts[b].inner, eye);
    for (std::size_t a = 0; a < n; ++a)
      if (a != b && meet(parts[a].inner, from_eye)) reach[a] |= bit(b);
  }
  for (std::size_t middle = 0; middle < n; ++middle)
    for (std::size_t a = 0; a < n; ++a)
      if ((reach[a] & bit(middle)) != 0) reach[a] |= reach[middle];
  std::vector<Bits> cycles(n, 0);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b)
      if ((reach[a] & bit(b)) != 0 && (reach[b] & bit(a)) != 0) cycles[a] |= bit(b);
  return cycles;
}

struct Cut {
  std::size_t part = 0;
  std::size_t axis = 0;
  double position = 0;
};

// Every cut of a part of `set` along a face of one of these, or through the eye.
std::vector<Cut> cuts_of(std::span<const Part> parts, Bits set, const Box& eye) {
  std::vector<Cut> cuts;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> faces;
    if (eye.low[axis] == eye.high[axis]) faces.push_back(eye.low[axis]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((set & bit(i)) == 0) continue;
      faces.push_back(parts[i].box.low[axis]);
      faces.push_back(parts[i].box.high[axis]);
    }
    std::sort(faces.begin(), faces.end());
    faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if ((set & bit(i)) == 0) continue;
      for (const double face : faces)
        if (parts[i].inner.low[axis] < face && face < parts[i].inner.high[axis])
          cuts.push_back({i, axis, face});
    }
  }
  return cuts;
}

std::vector<Part> after(const std::vector<Part>& parts, const Cut& where) {
  std::vector<Part> result = parts;
  auto [below, above] = cut(parts[where.part], where.axis, where.position);
  result[where.part] = below;
  result.push_back(above);
  return result;
}

// The parts after at most `cuts` cuts that leave no cycle, if they exist.
std::optional<std::vector<Part>> cut_at_most(const std::vector<Part>& parts, int cuts, const Box& eye) {
  const std::vector<Bits> cycles = cycles_of(parts, eye);
  const auto on_cycle = std::find_if(cycles.begin(), cycles.end(), [](Bits set) { return set != 0; });
  if (on_cycle == cycles.end()) return parts;
  if (cuts == 0) return std::nullopt;
  for (const Cut& where : cuts_of(parts, *on_cycle, eye)) {
    if (auto found = cut_at_most(after(parts, where), cuts - 1, eye)) return found;
  }
  return std::nullopt;
}

std::size_t count_on_cycles(std::span<const Part> parts, const Box& eye) {
  const std::vector<Bits> cycles = cycles_of(parts, eye);
  return cycles.size() - static_cast<std::size_t>(std::count(cycles.begin(), cycles.end(), Bits{0}));
}

std::vector<Part> cut_all_crossed(const std::vector<Part>& parts) {
  const CrossingPlane plane = sparsest_plane(inner_boxes(parts));
  std::vector<Part> result;
  if (!plane.found) return result;
  for (const Part& part : parts) {
    if (part.inner.low[plane.axis] < plane.position && plane.position < part.inner.high[plane.axis]) {
      auto [below, above] = cut(part, plane.axis, plane.position);
      result.push_back(below);
      result.push_back(above);
    } else {
      result.push_back(part);
    }
  }
  return result;
}

}  // namespace

std::vector<Part> cut_cycle(std::vector<Part> parts, const Box& eye) {
  if (parts.size() > most_tried) return cut_all_crossed(parts);

  // Try all ways to cut once, twice, and so on, as long as there are few.
  const std::vector<Cut> cuts = cuts_of(parts, ~Bits{0}, eye);
  const auto pairs = static_cast<double>(parts.size() * parts.size());
  double ways = static_cast<double>(cuts.size());
  for (int count = 1; count == 1 || ways * pairs < most_pairs_seen; ++count) {
    if (cuts.empty() || parts.size() + static_cast<std::size_t>(count) > 64) break;
    if (auto found = cut_at_most(parts, count, eye)) return *found;
    ways *= static_cast<double>(cuts.size());
  }

  // Make the single cut that leaves the fewest boxes on cycles.
  std::vector<Part> best;
  std::size_t fewest = SIZE_MAX;
  for (const Cut& where : cuts) {
    std::vector<Part> tried = after(parts, where);
    const std::size_t left = count_on_cycles(tried, eye);
    if (left < fewest) {
      fewest = left;
      best = std::move(tried);
    }
  }
  return best;
}

}  // namespace sortlast
