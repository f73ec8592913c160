// Channels as C callers pass them and get them back.
#pragma once

#include <cstdint>
#include <vector>

#include "sortlast.h"
#include "sortlast/channels.hpp"

namespace sortlast::capi {

// `count` structures of one version, one behind the other. Throws ArgumentError for null, for a size, type or
// rule that is none, and for a name that is null.
std::vector<Channel> channels_of(const sortlast_channel* channels, std::int32_t count);

// One of them; all zero if there is none of that index.
sortlast_channel_values channel_values(const std::vector<ChannelPlane>& planes, std::int32_t index);

}  // namespace sortlast::capi
