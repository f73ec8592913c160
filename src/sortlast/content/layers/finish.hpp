// Finish: turns the strings of all ranks for a range of pixels into finished pixels.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/layers/layer.hpp"
#include "sortlast/content/layers/layout.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// Dense planes for finished pixels, aligned to 4 bytes; the channels in the layout's order.
struct FinishedPlanes {
  Pixels pixels;
  std::vector<std::byte*> channels;
};

// Fill the planes with the pixels of the strings. `background`: of the colours; null for none. Throws Error
// for a corrupt string.
void finish_layers(const ChannelLayout& layout, std::span<const std::span<const std::byte>> parts,
                   Range pixels, const Background* background, const FinishedPlanes& out);

}  // namespace sortlast
