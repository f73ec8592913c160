// Merge: layers that nothing can come between are blended to one before they travel, where joins need not be
// those of a tree.
#pragma once

#include <span>

#include "sortlast/execute/layers/images/layer.hpp"
#include "sortlast/image/accumulator.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

// Append `layers`, of these pixels of the frame, without channels and sorted front to back. Those that take
// less room as one, and between which no pixels of another image come, become one, blended as the accumulator
// does.
void append_merged(const ChannelLayout& layout, const Accumulator& accumulator, std::span<const Layer> layers,
                   Range pixels, Bytes& out);

}  // namespace sortlast
