// Channel content: images whose pixels have further channels, as the engine of layers carries them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/channels/layout.hpp"
#include "sortlast/execute/layers/channels/own.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

class ChannelContent final : public LayerContent {
 public:
  // What one rank adds to a frame that is `width` pixels wide: any number of images, which stay the caller's.
  // Outside of its box an image of several takes no part.
  ChannelContent(ChannelLayout layout, std::int64_t width, std::vector<OwnImage> images);

  // Where finish() puts the channels of the pixels `piece`: planes in the layout's order, which stay the
  // caller's. To be said before it is called.
  void put_channels(Range piece, std::vector<std::byte*> planes);
  // What finish() puts behind the colours; none: nothing.
  void put_behind(std::optional<Background> background) { background_ = std::move(background); }

  const ChannelLayout& layout() const { return layout_; }

  void encode_own(Range pixels, Bytes& out) const override;
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;

 private:
  ChannelLayout layout_;
  std::int64_t width_;
  std::vector<OwnImage> images_;
  Range piece_ = {};
  std::vector<std::byte*> planes_;
  std::optional<Background> background_;
};

}  // namespace sortlast
