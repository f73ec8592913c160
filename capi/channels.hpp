// Channels in the form in which C callers pass and receive them.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast.h"
#include "sortlast/channels.hpp"

namespace sortlast::capi {

// Read `count` consecutive structures of one version. Throws ArgumentError for null, for an invalid size,
// type or rule, and for a null name.
std::vector<Channel> channels_of(const sortlast_channel* channels, std::int32_t count);

// One channel; all zero if the index is out of range.
sortlast_channel_values channel_values(const std::vector<ChannelPlane>& planes, std::int32_t index);

}  // namespace sortlast::capi
