// Projection: the part of the picture in which a rank draws, and the matrices for drawing it.
#pragma once

#include <array>
#include <vector>

#include "context.hpp"

namespace sortlast::icet {

// The product a b: first b, then a.
Matrix multiply(const Matrix& a, const Matrix& b);

// The intersection; width and height are 0 if it is empty.
Viewport intersection(const Viewport& a, const Viewport& b);
inline bool is_empty(const Viewport& viewport) { return viewport[2] < 1 || viewport[3] < 1; }

// Maps the normalised coordinates of the global viewport to those for a part of the picture.
Matrix onto(const Viewport& global, const Viewport& part);

// The part of the picture, and the normalised depths (-1..1), covered by vertices seen through a matrix. The
// part of their hull behind the viewer is cut off at the near plane. No vertices: everywhere.
struct Seen {
  Viewport viewport = {};  // with width and height 0 if they are not visible
  double near = -1;
  double far = 1;
};
Seen project(const std::vector<std::array<double, 3>>& vertices, const Matrix& matrix,
             const Viewport& global);

// The work of a rank: tiles, and the viewport that contains its part of them.
struct Share {
  Viewport viewport = {};
  std::vector<IceTBoolean> mask;  // one per tile
};

// All tiles that the viewport touches.
Share whole_share(const Settings& settings, const Viewport& viewport);

// A rank's part of `whole` in a group of ranks with the same data. The ranks divide the tiles among
// themselves, first among the ranks that display them. If there are more ranks than tiles, the visible part
// of a tile is divided among several.
Share share_of_group(const Settings& settings, const Share& whole, IceTInt rank);

}  // namespace sortlast::icet
