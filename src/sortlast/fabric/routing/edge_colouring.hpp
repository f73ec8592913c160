// Edge colouring of bipartite multigraphs: Koenig's theorem, by alternating paths.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace sortlast::fabric {

// Returns a colour, 0 .. colours - 1, for each edge (left vertex, right vertex), such that a vertex of degree
// g has at most ceil(g / colours) edges of each colour. O(edges (vertices + colours)). Needs colours > 0.
std::vector<std::int32_t> colour_edges(const std::vector<std::pair<std::int32_t, std::int32_t>>& edges,
                                       std::int32_t colours);

}  // namespace sortlast::fabric
