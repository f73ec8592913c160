// Layout: a frame's channels, checked and sorted by name.
#include "sortlast/content/layers/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <sstream>
#include <utility>

#include "sortlast/error.hpp"

namespace sortlast {

// ---- Names ------------------------------------------------------------------------------------------

namespace {

constexpr std::array<std::string_view, 4> rule_names = {"automatic", "blend", "front", "accumulated"};

}  // namespace

std::string_view channel_type_name(ChannelType type) {
  switch (type) {
    case ChannelType::uint32:
      return "uint32";
    case ChannelType::float32:
      return "float32";
  }
  throw ArgumentError("unknown channel type (number " + std::to_string(static_cast<int>(type)) + ")");
}

std::string_view channel_rule_name(ChannelRule rule) {
  const auto number = static_cast<std::size_t>(rule);
  if (number < rule_names.size()) return rule_names[number];
  throw ArgumentError("unknown channel rule (number " + std::to_string(number) + ")");
}

ChannelRule channel_rule_from_name(std::string_view name) {
  for (std::size_t i = 0; i < rule_names.size(); ++i)
    if (rule_names[i] == name) return static_cast<ChannelRule>(i);
  throw ArgumentError("unknown channel rule '" + std::string(name) +
                      "'; expected automatic, blend, front or accumulated");
}

void detail::check_channel_type(const ChannelPlane& plane, ChannelType asked) {
  if (plane.type == asked) return;
  throw ArgumentError("channel '" + plane.name + "' is " + std::string(channel_type_name(plane.type)) +
                      "; its values were asked for as " + std::string(channel_type_name(asked)));
}

// ---- Checks -----------------------------------------------------------------------------------------

namespace {

constexpr int most_width = 1 << 16;

[[noreturn]] void refuse(const Channel& channel, const std::string& problem) {
  throw ArgumentError("channel '" + channel.name + "' " + problem);
}

void check_name(const Channel& channel) {
  const bool plain = std::none_of(channel.name.begin(), channel.name.end(),
                                  [](unsigned char c) { return c == '=' || std::iscntrl(c) != 0; });
  if (channel.name.empty() || !plain)
    refuse(channel, "has no usable name; expected one without '=' and control characters");
}

ChannelRule settled_rule(const Channel& channel, Op op) {
  if (channel.rule != ChannelRule::automatic) return channel.rule;
  return channel.type == ChannelType::uint32 && op == Op::over ? ChannelRule::front : ChannelRule::blend;
}

// Throws unless the operator and the type suit the rule.
void check_rule(const Channel& channel, ChannelRule rule, Op op, const Format& format) {
  const std::string name(channel_rule_name(rule));
  if (rule != ChannelRule::blend && op != Op::over)
    refuse(channel, "has the rule " + name + ", which is for the operator over; with " +
                        std::string(op_name(op)) + " expected blend, or no rule");
  if (rule == ChannelRule::blend && op == Op::over && channel.type != ChannelType::float32)
    refuse(channel,
           "is uint32 and has the rule " + name + ", which is for float32; expected front or accumulated");
  const bool passes = rule == ChannelRule::front || rule == ChannelRule::accumulated;
  if (passes && !(channel.threshold >= 0 && channel.threshold < 1)) {
    std::ostringstream value;
    value << channel.threshold;
    refuse(channel, "has the threshold " + value.str() + "; expected an alpha, 0 to below 1");
  }
  if (passes && format.channels != 4)
    refuse(channel, "has the rule " + name + ", but the image has no alpha");
}

std::vector<std::uint32_t> background_of(const Channel& channel) {
  if (channel.background.empty()) return {};
  if (channel.background.size() != static_cast<std::size_t>(channel.width))
    refuse(channel, "has a background of " + std::to_string(channel.background.size()) +
                        " values; expected " + std::to_string(channel.width));
  std::vector<std::uint32_t> bits;
  for (const double value : channel.background) {
    if (std::isnan(value)) refuse(channel, "has a background that is not a number");
    if (channel.type == ChannelType::float32) {
      if (std::isfinite(value) && std::fabs(value) > std::numeric_limits<float>::max())
        refuse(channel, "has a background that float32 does not hold");
      bits.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    } else {
      if (value < 0 || value > std::numeric_limits<std::uint32_t>::max() || value != std::floor(value))
        refuse(channel, "has a background that uint32 does not hold");
      bits.push_back(static_cast<std::uint32_t>(value));
    }
  }
  return bits;
}

}  // namespace

// ---- Layouts ----------------------------------------------------------------------------------------

ChannelLayout settle(std::span<const Channel> channels, Op op, const Format& format) {
  check_format(format, op);
  ChannelLayout layout{op, format, {}, 0, false, {}};

  // Check each channel by itself.
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const Channel& channel = channels[i];
    check_name(channel);
    static_cast<void>(channel_type_name(channel.type));
    if (channel.width < 1 || channel.width > most_width)
      refuse(channel, "has " + std::to_string(channel.width) + " values a pixel; expected 1 to " +
                          std::to_string(most_width));
    const ChannelRule rule = settled_rule(channel, op);
    check_rule(channel, rule, op, format);
    layout.channels.push_back({channel.name, channel.type, static_cast<std::size_t>(channel.width), rule,
                               channel.threshold, 0, background_of(channel), i});
  }

  // Sort the channels, so that they have the same order on every rank.
  std::sort(layout.channels.begin(), layout.channels.end(),
            [](const SettledChannel& a, const SettledChannel& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(layout.channels.begin(), layout.channels.end(),
                         [](const SettledChannel& a, const SettledChannel& b) { return a.name == b.name; });
  if (twice != layout.channels.end())
    throw ArgumentError("there are two channels '" + twice->name + "'; expected names of their own");

  // Derive the properties that involve several channels.
  std::size_t picks = 0;
  for (SettledChannel& channel : layout.channels) {
    if (channel.rule == ChannelRule::front) channel.pick = picks++;
    if (channel.rule == ChannelRule::accumulated) layout.accumulates = true;
  }
  layout.pick_bytes = (picks + 7) / 8;
  return layout;
}

std::string text(const SettledChannel& channel) {
  std::ostringstream out;
  out.precision(9);
  out << channel.width << " x " << channel_type_name(channel.type) << ", " << channel_rule_name(channel.rule);
  if (channel.rule == ChannelRule::front || channel.rule == ChannelRule::accumulated)
    out << " above " << channel.threshold;
  for (std::size_t i = 0; i < channel.background.size(); ++i) {
    out << (i == 0 ? ", background " : " ");
    if (channel.type == ChannelType::uint32)
      out << channel.background[i];
    else
      out << std::bit_cast<float>(channel.background[i]);
  }
  return out.str();
}

}  // namespace sortlast
