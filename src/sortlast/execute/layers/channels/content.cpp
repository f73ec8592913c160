// Channel content: strings of layers, and the planes that they are finished into.
#include "sortlast/execute/layers/channels/content.hpp"

#include <utility>

#include "sortlast/execute/layers/channels/finish.hpp"
#include "sortlast/execute/layers/channels/join.hpp"
#include "sortlast/execute/layers/channels/layer.hpp"

namespace sortlast {

ChannelContent::ChannelContent(ChannelLayout layout, std::int64_t width, std::vector<OwnImage> images)
    : layout_(std::move(layout)), width_(width), images_(std::move(images)) {}

void ChannelContent::put_channels(Range piece, std::vector<std::byte*> planes) {
  piece_ = piece;
  planes_ = std::move(planes);
}

void ChannelContent::encode_own(Range pixels, Bytes& out) const {
  if (images_.size() == 1) {
    // Told also if nothing is drawn: so that what lies before and behind can be joined.
    append_own(layout_, images_.front(), width_, pixels, out);
    return;
  }
  Bytes all;
  for (const OwnImage& image : images_) {
    const std::size_t before = all.size();
    if (append_own(layout_, image, width_, pixels, all) == 0) all.shrink(before);
  }
  const String part = all.view();
  join_layers(layout_, {&part, 1}, pixels.size(), out);
}

void ChannelContent::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  join_layers(layout_, strings, pixels.size(), out);
}

void ChannelContent::cut(String string, Range from, Range pixels, Bytes& out) const {
  cut_layers(layout_, string, from, pixels, out);
}

void ChannelContent::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                            Bytes* joined) const {
  std::vector<String> all(strings.begin(), strings.end());
  Bytes mine;
  if (own) encode_own(pixels, mine);
  if (mine.size() > 0) all.push_back(mine.view());
  if (joined != nullptr) join_layers(layout_, all, pixels.size(), *joined);
  FinishedPlanes planes{out, planes_};
  for (std::size_t c = 0; c < planes.channels.size(); ++c)
    planes.channels[c] += static_cast<std::size_t>(pixels.begin - piece_.begin) * layout_.channels[c].bytes();
  finish_layers(layout_, all, pixels.size(), background_ ? &*background_ : nullptr, planes);
}

}  // namespace sortlast
