// Order: the implementations of visibility.hpp, with the names of boxes in error messages.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/visibility/cover.hpp"

namespace sortlast {

std::vector<std::int32_t> order_boxes(std::span<const Box> boxes, const Viewpoint& viewpoint, Ties ties,
                                      const BoxNames& names);
std::vector<BoxPart> order_parts(std::span<const Box> boxes, const Viewpoint& viewpoint,
                                 const BoxNames& names);
std::vector<std::int32_t> order_by_tree(std::span<const Box> boxes, std::span<const SplitNode> tree,
                                        const Viewpoint& viewpoint, const BoxNames& names);

}  // namespace sortlast
