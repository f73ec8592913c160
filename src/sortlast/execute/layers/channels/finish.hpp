// Finish: the strings of all ranks about a stretch of pixels become its finished pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/layers/channels/layer.hpp"
#include "sortlast/execute/layers/channels/layout.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// Dense planes for finished pixels, those of the channels in the layout's order, aligned to 4 bytes.
struct FinishedPlanes {
  Pixels pixels;
  std::vector<std::byte*> channels;
};

// Fill the planes with the n pixels about which the strings are. `background` of the colours: null for none.
// Throws Error for a damaged string.
void finish_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts,
                   std::int64_t n, const Background* background, const FinishedPlanes& out);

}  // namespace sortlast
