// Order: what the functions of visibility.hpp do, with the names that messages give to the boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/visibility/cover.hpp"

namespace sortlast {

std::vector<std::int32_t> order_boxes(std::span<const Box> boxes, const Viewpoint& viewpoint, Ties ties,
                                      const BoxNames& names);
std::vector<BoxPart> order_parts(std::span<const Box> boxes, const Viewpoint& viewpoint,
                                 const BoxNames& names);
std::vector<std::int32_t> order_by_tree(std::span<const Box> boxes, std::span<const SplitNode> tree,
                                        const Viewpoint& viewpoint, const BoxNames& names);

}  // namespace sortlast
