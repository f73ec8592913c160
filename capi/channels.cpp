// Reads the channel structures of C callers, and returns the channels of frames.
#include "channels.hpp"

#include <cstddef>
#include <string>

#include "handle.hpp"
#include "image.hpp"
#include "sortlast/error.hpp"

namespace sortlast::capi {
namespace {

// Types and rules by their numbers in sortlast.h.
constexpr ChannelType types[] = {ChannelType::uint32, ChannelType::float32};
constexpr ChannelRule rules[] = {ChannelRule::automatic, ChannelRule::blend, ChannelRule::front,
                                 ChannelRule::accumulated};
static_assert(types[SORTLAST_CHANNEL_FLOAT32] == ChannelType::float32);
static_assert(rules[SORTLAST_RULE_FRONT] == ChannelRule::front &&
              rules[SORTLAST_RULE_ACCUMULATED] == ChannelRule::accumulated);

Channel channel_of(const sortlast_channel& channel) {
  if (channel.name == nullptr) throw ArgumentError("the name of a channel is NULL; expected one");
  Channel made;
  made.name = channel.name;
  made.type = by_number(types, channel.type, "the type of a channel");
  made.width = channel.width;
  made.values = channel.values;
  made.rule = by_number(rules, channel.rule, "the rule of a channel");
  made.threshold = channel.threshold;
  if (channel.background != nullptr && channel.width > 0)
    made.background.assign(channel.background, channel.background + channel.width);
  return made;
}

}  // namespace

std::vector<Channel> channels_of(const sortlast_channel* channels, std::int32_t count) {
  if (count < 0 || (channels == nullptr && count > 0))
    throw ArgumentError(std::to_string(count) + " channels" + (channels == nullptr ? " at NULL" : "") +
                        "; expected 0 or more, and where they lie");
  constexpr std::size_t first = offsetof(sortlast_channel, background) + sizeof(sortlast_channel::background);
  std::vector<Channel> made;
  const auto* at = reinterpret_cast<const std::byte*>(channels);
  for (std::int32_t i = 0; i < count; ++i) {
    const auto* const channel = reinterpret_cast<const sortlast_channel*>(at);
    made.push_back(channel_of(read_struct<sortlast_channel>(channel, SORTLAST_CHANNEL_INIT, first,
                                                            "sortlast_channel", "SORTLAST_CHANNEL_INIT")));
    if (channel->size != channels->size)
      throw ArgumentError("channels of several sizes; expected all to begin with SORTLAST_CHANNEL_INIT");
    at += channel->size;
  }
  return made;
}

sortlast_channel_values channel_values(const std::vector<ChannelPlane>& planes, std::int32_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= planes.size()) return {};
  const ChannelPlane& plane = planes[static_cast<std::size_t>(index)];
  return {plane.name.c_str(), static_cast<std::int32_t>(plane.type), plane.width, plane.pixels,
          plane.pixels == 0 ? nullptr : plane.memory.get()};
}

}  // namespace sortlast::capi

using namespace sortlast::capi;

int32_t sortlast_frame_channel_count(const sortlast_frame* frame) {
  return frame == nullptr ? 0 : static_cast<std::int32_t>(frame->frame.channels.size());
}

sortlast_channel_values sortlast_frame_channel(const sortlast_frame* frame, int32_t index) {
  return frame == nullptr ? sortlast_channel_values{} : channel_values(frame->frame.channels, index);
}
