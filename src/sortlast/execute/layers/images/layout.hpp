// Layout: the pixel of images with channels, with every rule settled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/execute/layers/images/box_table.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// A channel with its rule settled.
struct SettledChannel {
  std::string name;
  ChannelType type = ChannelType::float32;
  std::size_t width = 1;  // values of a pixel
  ChannelRule rule = ChannelRule::blend;
  float threshold = 0;
  std::size_t pick = 0;                   // of front: number of its bit among a pixel's picks
  std::vector<std::uint32_t> background;  // the bits of `width` values; empty: none
  std::size_t source = 0;                 // index in what was passed

  std::size_t bytes() const { return width * 4; }  // of a pixel
};

// The values of a pixel of a frame, and the operator by which it is composited.
struct ChannelLayout {
  Op op = Op::over;
  Format format;
  std::vector<SettledChannel> channels;  // by name
  // Bytes per pixel of the picks: which channels of the rule front hold values above their threshold.
  std::size_t pick_bytes = 0;
  bool accumulates = false;  // there is a channel of the rule accumulated
  // Where the images of all ranks lie; null: each rank has at most one, at its place in the order.
  std::shared_ptr<const BoxTable> boxes = {};

  // Whether layers are joined as siblings of a tree alone (see join.hpp), or else any that nothing parts.
  bool joins_as_tree() const { return boxes == nullptr || !channels.empty(); }
};

// Settle the channels of a frame. Throws ArgumentError, naming the channel, for one that is wrong by itself
// or that the operator or format does not suit.
ChannelLayout settle(std::span<const Channel> channels, Op op, const Format& format);

// One channel as ranks compare it: "3 x float32, blend".
std::string text(const SettledChannel& channel);

}  // namespace sortlast
