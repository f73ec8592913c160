#include "projection.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace sortlast::icet {
namespace {

using Point = std::array<double, 4>;  // homogeneous

// Distance in front of the near plane, in units of w.
double in_front(const Point& point) { return point[2] + point[3]; }

// The bounding box, in normalised coordinates, of points in front of the near plane.
struct Box {
  std::array<double, 3> low = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
  std::array<double, 3> high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  bool everywhere = false;  // a point cannot be projected onto the screen

  void add(const Point& point) {
    if (!(point[3] > 0)) everywhere = true;
    for (std::size_t i = 0; i < 3; ++i) {
      const double value = point[i] / point[3];
      if (std::isnan(value)) everywhere = true;
      low[i] = std::min(low[i], value);
      high[i] = std::max(high[i], value);
    }
  }
};

// The pixels, {first, number}, of an extent that an interval of normalised coordinates touches. An interval
// of zero length between two pixels touches both. An interval that ends at the edge of a pixel does not touch
// the next because of a rounding error of the matrices.
std::array<IceTInt, 2> pixels(double low, double high, IceTInt begin, IceTInt length) {
  constexpr double rounding = 0x1p-20;  // in pixels
  const auto place = [&](double coordinate) { return begin + (coordinate + 1) / 2 * length; };
  double first = std::floor(place(low) + rounding);
  double last = std::ceil(place(high) - rounding);
  if (first == last) {
    first -= 1;
    last += 1;
  }
  const auto inside = [&](double value) {
    return static_cast<IceTInt>(
        std::clamp(value, static_cast<double>(begin), static_cast<double>(begin) + length));
  };
  return {inside(first), inside(last) - inside(first)};
}

IceTBoolean touches(const Viewport& viewport, const TileOfDisplay& tile) {
  return is_empty(intersection(viewport, tile.viewport)) ? ICET_FALSE : ICET_TRUE;
}

// Piece `index` of `count` equal pieces, along the longer extent.
Viewport piece(Viewport viewport, std::size_t index, std::size_t count) {
  const std::size_t axis = viewport[2] < viewport[3] ? 1 : 0;
  const auto cut = [&](std::size_t i) {
    return static_cast<IceTInt>(static_cast<std::size_t>(viewport[2 + axis]) * i / count);
  };
  const IceTInt begin = cut(index);
  viewport[2 + axis] = cut(index + 1) - begin;
  viewport[axis] += begin;
  return viewport;
}

std::size_t place_in(const std::vector<IceTInt>& group, IceTInt rank) {
  return static_cast<std::size_t>(std::find(group.begin(), group.end(), rank) - group.begin());
}

}  // namespace

Matrix multiply(const Matrix& a, const Matrix& b) {
  Matrix product = {};
  for (std::size_t column = 0; column < 4; ++column)
    for (std::size_t row = 0; row < 4; ++row)
      for (std::size_t k = 0; k < 4; ++k) product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
  return product;
}

Viewport intersection(const Viewport& a, const Viewport& b) {
  // Ends may exceed 32 bits, because a window at the edge of the picture extends beyond it.
  Viewport both = {};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t end =
        std::min(std::int64_t{a[axis]} + a[2 + axis], std::int64_t{b[axis]} + b[2 + axis]);
    both[axis] = std::max(a[axis], b[axis]);
    both[2 + axis] = static_cast<IceTInt>(std::max<std::int64_t>(0, end - both[axis]));
  }
  if (is_empty(both)) both[2] = both[3] = 0;
  return both;
}

Matrix onto(const Viewport& global, const Viewport& part) {
  Matrix result = identity;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double whole = global[2 + axis];
    const double length = part[2 + axis];
    result[5 * axis] = whole / length;
    result[12 + axis] = (whole + 2.0 * global[axis] - 2.0 * part[axis] - length) / length;
  }
  return result;
}

Seen project(const std::vector<std::array<double, 3>>& vertices, const Matrix& matrix,
             const Viewport& global) {
  if (vertices.empty()) return {global, -1, 1};

  // Transform the vertices.
  std::vector<Point> points;
  for (const auto& [x, y, z] : vertices) {
    Point& point = points.emplace_back();
    for (std::size_t row = 0; row < 4; ++row)
      point[row] = matrix[row] * x + matrix[4 + row] * y + matrix[8 + row] * z + matrix[12 + row];
  }

  // Find the box of the vertices in front of the near plane, and of the points where edges to the others
  // cross it.
  Box box;
  bool any = false;
  for (const Point& point : points) {
    if (!(in_front(point) < 0)) {  // or is NaN
      box.add(point);
      any = true;
      continue;
    }
    for (const Point& other : points) {
      if (in_front(other) < 0) continue;
      const double t = in_front(other) / (in_front(other) - in_front(point));
      Point passage;
      for (std::size_t i = 0; i < 4; ++i) passage[i] = other[i] + t * (point[i] - other[i]);
      box.add(passage);
    }
  }
  const Seen unseen{{global[0], global[1], 0, 0}, 1, -1};
  if (!any) return unseen;
  if (box.everywhere) return {global, -1, 1};

  // Convert it to pixels.
  const auto [left, width] = pixels(box.low[0], box.high[0], global[0], global[2]);
  const auto [bottom, height] = pixels(box.low[1], box.high[1], global[1], global[3]);
  if (width < 1 || height < 1 || box.low[2] > 1 || box.high[2] < -1) return unseen;
  return {{left, bottom, width, height}, std::max(box.low[2], -1.0), std::min(box.high[2], 1.0)};
}

Share whole_share(const Settings& settings, const Viewport& viewport) {
  Share share{viewport, {}};
  for (const TileOfDisplay& tile : settings.tiles) share.mask.push_back(touches(viewport, tile));
  return share;
}

Share share_of_group(const Settings& settings, const Share& whole, IceTInt rank) {
  const std::vector<IceTInt>& group = settings.group;
  std::vector<std::size_t> tiles;
  for (std::size_t i = 0; i < whole.mask.size(); ++i)
    if (whole.mask[i]) tiles.push_back(i);
  if (group.size() < 2 || tiles.empty()) return whole;
  const auto part_of = [&](std::size_t tile) {
    return intersection(whole.viewport, settings.tiles[tile].viewport);
  };
  Share share{{whole.viewport[0], whole.viewport[1], 0, 0},
              std::vector<IceTBoolean>(whole.mask.size(), ICET_FALSE)};
  const std::size_t me = place_in(group, rank);

  // With more tiles than ranks, each rank takes several.
  if (tiles.size() > group.size()) {
    for (std::size_t i = tiles.size() * me / group.size(); i < tiles.size() * (me + 1) / group.size(); ++i)
      share.mask[tiles[i]] = ICET_TRUE;
    share.viewport = whole.viewport;
    return share;
  }

  // Otherwise, ranks that display a tile take it, and the others help where the fewest ranks are.
  std::vector<std::vector<IceTInt>> drawers(tiles.size());
  std::vector<IceTInt> others = group;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto shown_by = std::find(others.begin(), others.end(), settings.tiles[tiles[i]].rank);
    if (shown_by == others.end()) continue;
    drawers[i].push_back(*shown_by);
    others.erase(shown_by);
  }
  for (const IceTInt other : others) {
    const auto fewest = std::min_element(drawers.begin(), drawers.end(),
                                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    fewest->push_back(other);
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const std::size_t place = place_in(drawers[i], rank);
    if (place == drawers[i].size()) continue;
    share.viewport = piece(part_of(tiles[i]), place, drawers[i].size());
    share.mask[tiles[i]] = touches(share.viewport, settings.tiles[tiles[i]]);
  }
  return share;
}

}  // namespace sortlast::icet
