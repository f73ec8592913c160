// Join: two layers become one, and any number of strings become one string.
//
// Problem: floating-point `over` and `add` are associative but for rounding, and what is joined first depends
// on the algorithm. Model: the depth positions are the leaves of a binary tree, cut at powers of two, and
// layers are joined only as siblings of it, whoever does it and whenever. So the result has the same bits
// whatever the grouping, and a string that covers k neighbouring positions holds at most 2 log2 k layers.
// Rejected: to keep every image's pixels apart until the end, which in the algorithms that merge on the way
// sends all of them several times. `closest` needs no tree: of every pixel the winner travels, with its depth
// position for ties.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "sortlast/execute/layers/channels/layer.hpp"
#include "sortlast/execute/layers/channels/layout.hpp"

namespace sortlast {

// Append the join of two layers, `front` lying before `back`, as the layer of `positions`. Its colours are
// float32, but those of the images for closest, where either may be the front one.
void append_join(const ChannelLayout& layout, const Layer& front, const Layer& back, Positions positions,
                 Bytes& out);

// Append the join of strings about the same n pixels: layers are joined where no other can come between them.
// Commutes, and is associative, in every bit. Throws Error for a damaged string.
void join_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts,
                 std::int64_t n, Bytes& out);

// Layers of several strings, from front to back. Throws Error for damaged strings, and for two layers of one
// depth position (for closest none is ruled out).
std::vector<Layer> collect_layers(const ChannelLayout& layout,
                                  std::span<const std::span<const std::byte>> parts, std::int64_t n);

// All layers joined into one, as if nobody else came between them; `layers` ascend and are not empty. What is
// made on the way lies in `memory`.
Layer join_all(const ChannelLayout& layout, std::span<const Layer> layers, std::int64_t n,
               std::deque<Bytes>& memory);

}  // namespace sortlast
