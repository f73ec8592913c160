// Projection: where in the picture a rank draws, and the matrices with which it draws there.
#pragma once

#include <array>
#include <vector>

#include "context.hpp"

namespace sortlast::icet {

// a b: first b, then a.
Matrix multiply(const Matrix& a, const Matrix& b);

// What they have in common; of width and height 0 if nothing.
Viewport intersection(const Viewport& a, const Viewport& b);
inline bool is_empty(const Viewport& viewport) { return viewport[2] < 1 || viewport[3] < 1; }

// From the normalised coordinates of the global viewport to those of a part of the picture.
Matrix onto(const Viewport& global, const Viewport& part);

// Where in the picture, and at which normalised depths (-1..1), vertices are seen through a matrix. The part
// of their hull that lies behind the viewer is cut off at the near plane. No vertices: everywhere.
struct Seen {
  Viewport viewport = {};  // of width and height 0: they are not seen
  double near = -1;
  double far = 1;
};
Seen project(const std::vector<std::array<double, 3>>& vertices, const Matrix& matrix,
             const Viewport& global);

// What a rank has to draw: the tiles, and the viewport that holds its part of them.
struct Share {
  Viewport viewport = {};
  std::vector<IceTBoolean> mask;  // of tiles
};

// Of the tiles that the viewport touches, all.
Share whole_share(const Settings& settings, const Viewport& viewport);

// The part of `whole` that falls to a rank of a group whose ranks all hold the same data. They divide the
// tiles among themselves, first to those that display them; where there are more ranks than tiles, the part
// of a tile in which something is seen is divided among several.
Share share_of_group(const Settings& settings, const Share& whole, IceTInt rank);

}  // namespace sortlast::icet
