// Join: combines two layers into one, and any number of strings into one string.
//
// Problem: floating-point `over` and `add` are associative only up to rounding, and the order of joins
// depends on the algorithm. Model: depth places are the leaves of a binary tree, split at powers of two, and
// layers are joined only as siblings in it. The result has the same bits whatever the grouping, and a string
// that covers k consecutive places holds at most 2 log2 k layers. Rejected: keeping the pixels of every image
// separate until the end, because algorithms that merge on the way would send all of them several times.
// `closest` needs no tree: the winner of every pixel travels with its depth place, which breaks ties.
#pragma once

#include <cstdint>
#include <deque>
#include <span>

#include "sortlast/content/layers/layer.hpp"
#include "sortlast/content/layers/layout.hpp"

namespace sortlast {

// Append the join of two layers, `front` before `back`, as the layer of `places`. Its colours are float32;
// for closest, where either may be in front, they keep the images' scalar.
void append_join(const ChannelLayout& layout, const Layer& front, const Layer& back, DepthRange places,
                 Bytes& out);

// Append the join of strings of the same pixels: layers are joined if no other can lie between them.
// Commutative and associative, in every bit. Throws Error for a corrupt string.
void join_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts, Range pixels,
                 Bytes& out);

// Layers of several strings, from front to back. Throws Error for corrupt strings, and for two layers with
// the same depth place (except with closest).
std::vector<Layer> collect_layers(const ChannelLayout& layout,
                                  std::span<const std::span<const std::byte>> parts, Range pixels);

// All layers joined into one, as if no other layer lay between them; `layers` are ascending and not empty.
// `memory` holds the intermediate layers.
Layer join_all(const ChannelLayout& layout, std::span<const Layer> layers, Range pixels,
               std::deque<Bytes>& memory);

}  // namespace sortlast
