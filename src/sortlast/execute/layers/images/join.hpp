// Join: two layers become one, and any number of strings become one string.
//
// Problem: floating-point `over` and `add` are associative but for rounding, and what is joined first depends
// on the algorithm. Model: the places in depth are the leaves of a binary tree, cut at powers of two, and
// layers are joined only as siblings of it. The result has the same bits whatever the grouping, and a string
// that covers k neighbouring places holds at most 2 log2 k layers. Rejected: to keep every image's pixels
// apart until the end, which in the algorithms that merge on the way sends all of them several times.
// `closest` needs no tree: of every pixel the winner travels, with its place in depth for ties.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "sortlast/execute/layers/images/layer.hpp"
#include "sortlast/execute/layers/images/layout.hpp"

namespace sortlast {

// Append the join of two layers, `front` lying before `back`, as the layer of `places`. Its colours are
// float32; for closest, where either may be the front one, they keep the images' scalar.
void append_join(const ChannelLayout& layout, const Layer& front, const Layer& back, DepthRange places,
                 Bytes& out);

// Append the join of strings of the same pixels: layers are joined where no other can come between them.
// Commutes, and is associative, in every bit. Throws Error for a damaged string.
void join_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts, Range pixels,
                 Bytes& out);

// Layers of several strings, from front to back. Throws Error for damaged strings, and for two layers of one
// place in depth (for closest none is ruled out).
std::vector<Layer> collect_layers(const ChannelLayout& layout,
                                  std::span<const std::span<const std::byte>> parts, Range pixels);

// All layers joined into one, as if no other layer lay between them; `layers` ascend and are not empty.
// `memory` holds the intermediate layers.
Layer join_all(const ChannelLayout& layout, std::span<const Layer> layers, Range pixels,
               std::deque<Bytes>& memory);

}  // namespace sortlast
