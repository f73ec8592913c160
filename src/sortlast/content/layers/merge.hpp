// Merge: blends layers into one before they travel, if no image can lie between them and joins need not
// follow a tree.
#pragma once

#include <span>

#include "sortlast/content/layers/layer.hpp"
#include "sortlast/image/accumulator.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Append `layers` of these pixels of the frame, without channels and sorted front to back. Neighbours in
// depth are blended into one, in the accumulator's format, if that saves memory and no pixels of another
// image lie between them.
void append_merged(const ChannelLayout& layout, const Accumulator& accumulator, std::span<const Layer> layers,
                   Range pixels, Bytes& out);

}  // namespace sortlast
