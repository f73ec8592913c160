// Layout: the values of a pixel in images with channels, with every rule resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/content/layers/box_table.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// A channel with its rule resolved.
struct SettledChannel {
  std::string name;
  ChannelType type = ChannelType::float32;
  std::size_t width = 1;  // values of a pixel
  ChannelRule rule = ChannelRule::blend;
  float threshold = 0;
  std::size_t pick = 0;                   // rule front: index of its bit among a pixel's picks
  std::vector<std::uint32_t> background;  // the bits of `width` values; empty: none
  std::size_t source = 0;                 // index among the channels passed by the caller

  std::size_t bytes() const { return width * 4; }  // of a pixel
};

// The values of a pixel of a frame, and the operator by which it is composited.
struct ChannelLayout {
  Op op = Op::over;
  Format format;
  std::vector<SettledChannel> channels;  // by name
  // Bytes per pixel of the picks: which channels with the rule front hold values above their threshold.
  std::size_t pick_bytes = 0;
  bool accumulates = false;  // whether a channel has the rule accumulated
  // The boxes of the images of all ranks; null: each rank has at most one, at its place in the order.
  std::shared_ptr<const BoxTable> boxes = {};

  // Whether layers are joined only as siblings of a tree (see join.hpp), or with any layer if no other lies
  // between.
  bool joins_as_tree() const { return boxes == nullptr || !channels.empty(); }
};

// Resolve the channels of a frame. Throws ArgumentError, naming the channel, for one that is invalid by
// itself or does not suit the operator or format.
ChannelLayout settle(std::span<const Channel> channels, Op op, const Format& format);

// A channel in the form compared between ranks: "3 x float32, blend".
std::string text(const SettledChannel& channel);

}  // namespace sortlast
