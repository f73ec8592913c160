// Extras.
#include "sortlast/content/fragments/extras.hpp"

#include <algorithm>
#include <cmath>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

// The back depths of the fragments, if they are intervals.
const float* checked_backs(const FragmentsView& view) {
  if (!view.intervals) {
    if (view.depth_back.empty()) return nullptr;
    throw ArgumentError(
        "the fragments have depths at which they end, but are no intervals; expected both or none");
  }
  if (view.depth_back.size() != view.depth.size())
    throw ArgumentError("there are " + std::to_string(view.depth_back.size()) + " ends in depth for " +
                        std::to_string(view.depth.size()) + " fragments; expected one a fragment");
  for (std::size_t i = 0; i < view.depth.size(); ++i) {
    const float front = view.depth[i];
    const float back = view.depth_back[i];
    if (back == front || (std::isnan(front) && std::isnan(back))) continue;
    if (!(std::isfinite(front) && std::isfinite(back) && front < back))
      throw ArgumentError("fragment " + std::to_string(i) + " reaches from depth " + std::to_string(front) +
                          " to " + std::to_string(back) +
                          "; expected that it ends where it begins, or behind at a finite depth");
  }
  return view.depth_back.data();
}

void check_channels(const FragmentsView& view) {
  for (const Channel& channel : view.channels) {
    if (channel.rule != ChannelRule::automatic || !channel.background.empty())
      throw ArgumentError("channel '" + channel.name +
                          "' has a rule or a background; of fragments expected neither, as all are kept");
    if (channel.values == nullptr && !view.depth.empty())
      throw ArgumentError("channel '" + channel.name + "' has no values; expected those of the fragments");
  }
}

}  // namespace

FragmentExtras::FragmentExtras(const FragmentsView& view)
    : channels_(settle(view.channels, Op::closest, {Scalar::float32, 4, true})), back_(checked_backs(view)) {
  check_channels(view);
  layout_ = {view.scalar, view.intervals, 0};
  for (const SettledChannel& channel : channels_.channels) {
    layout_.channel_bytes += channel.bytes();
    values_.push_back(static_cast<const std::byte*>(view.channels[channel.source].values));
  }
}

void FragmentExtras::put(std::size_t fragment, std::byte* to) const {
  if (layout_.intervals) {
    std::memcpy(to, back_ + fragment, sizeof *back_);
    to += sizeof *back_;
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const std::size_t bytes = channels_.channels[i].bytes();
    std::memcpy(to, values_[i] + fragment * bytes, bytes);
    to += bytes;
  }
}

void FragmentExtras::put_surface(float depth, std::byte* to) const {
  std::fill_n(to, layout_.extra_bytes(), std::byte{0});
  if (layout_.intervals) std::memcpy(to, &depth, sizeof depth);
}

std::vector<std::pair<std::string, std::string>> FragmentExtras::arguments() const {
  std::vector<std::pair<std::string, std::string>> found;
  found.emplace_back("depth_back", layout_.intervals ? "yes" : "no");
  std::string names;
  for (const SettledChannel& channel : channels_.channels)
    names += (names.empty() ? "" : ", ") + channel.name + " (" + std::to_string(channel.width) + " x " +
             std::string(channel_type_name(channel.type)) + ")";
  found.emplace_back("channels", names.empty() ? "none" : names);
  return found;
}

std::vector<ChannelPlane> FragmentExtras::planes() const {
  std::vector<ChannelPlane> found;
  for (const SettledChannel& channel : channels_.channels)
    found.push_back({channel.name, channel.type, static_cast<int>(channel.width), 0, nullptr});
  return found;
}

ExtraPlanes::ExtraPlanes(Fragments& into, bool intervals, const std::vector<ChannelPlane>& planes,
                         std::size_t fragments)
    : into_(into) {
  into_.intervals = intervals;
  if (intervals) into_.depth_back.resize(fragments);
  into_.channels = planes;
  for (ChannelPlane& plane : into_.channels) {
    plane.pixels = static_cast<std::int64_t>(fragments);
    plane.memory =
        std::shared_ptr<std::byte>(new std::byte[plane.bytes()], std::default_delete<std::byte[]>());
  }
}

void ExtraPlanes::add(const std::byte* from, std::size_t fragments) {
  for (const std::size_t end = at_ + fragments; at_ < end; ++at_) {
    if (into_.intervals) {
      std::memcpy(into_.depth_back.data() + at_, from, sizeof(float));
      from += sizeof(float);
    }
    for (const ChannelPlane& plane : into_.channels) {
      const std::size_t bytes = plane.pixel_bytes();
      std::memcpy(plane.memory.get() + at_ * bytes, from, bytes);
      from += bytes;
    }
  }
}

}  // namespace sortlast
