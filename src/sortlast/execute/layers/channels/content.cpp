// Channel content: strings of layers, wherever in memory the engine keeps them.
#include "sortlast/execute/layers/channels/content.hpp"

#include <utility>

#include "sortlast/execute/layers/channels/finish.hpp"
#include "sortlast/execute/layers/channels/join.hpp"
#include "sortlast/execute/layers/channels/layer.hpp"

namespace sortlast {
namespace {

using String = LayerContent::String;

constexpr std::size_t alignment = alignof(std::uint32_t);

// Strings at addresses from which they can be read: copies of those that do not lie so.
class Readable {
 public:
  explicit Readable(std::span<const String> strings) : strings_(strings.begin(), strings.end()) {
    copies_.reserve(strings_.size());
    for (String& string : strings_) {
      if (reinterpret_cast<std::uintptr_t>(string.data()) % alignment == 0) continue;
      copies_.emplace_back().append(string);
      string = copies_.back().view();
    }
  }

  std::span<const String> strings() const { return strings_; }
  void add(String string) { strings_.push_back(string); }

 private:
  std::vector<String> strings_;
  std::vector<Bytes> copies_;
};

// Call append(string) with `out`, or, if its end is not aligned, with a string that is appended to it then.
template <class Append>
void append_aligned(Bytes& out, const Append& append) {
  if (out.size() % alignment == 0) return append(out);
  Bytes apart;
  append(apart);
  out.append(apart.view());
}

}  // namespace

ChannelContent::ChannelContent(ChannelLayout layout, std::int64_t width, std::vector<OwnImage> images)
    : layout_(std::move(layout)), width_(width), images_(std::move(images)) {}

void ChannelContent::put_channels(Range piece, std::vector<std::byte*> planes) {
  piece_ = piece;
  planes_ = std::move(planes);
}

void ChannelContent::encode_own(Range pixels, Bytes& out) const {
  append_aligned(out, [&](Bytes& string) {
    if (images_.size() == 1) {
      // Told also if nothing is drawn: so that what lies before and behind can be joined.
      append_own(layout_, images_.front(), width_, pixels, string);
      return;
    }
    Bytes all;
    for (const OwnImage& image : images_) {
      const std::size_t before = all.size();
      if (append_own(layout_, image, width_, pixels, all) == 0) all.shrink(before);
    }
    const String part = all.view();
    join_layers(layout_, {&part, 1}, pixels.size(), string);
  });
}

void ChannelContent::join(std::span<const String> strings, Range pixels, Bytes& out) const {
  const Readable readable(strings);
  append_aligned(out,
                 [&](Bytes& string) { join_layers(layout_, readable.strings(), pixels.size(), string); });
}

void ChannelContent::cut(String string, Range from, Range pixels, Bytes& out) const {
  const Readable readable({&string, 1});
  append_aligned(out,
                 [&](Bytes& part) { cut_layers(layout_, readable.strings().front(), from, pixels, part); });
}

void ChannelContent::finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
                            Bytes* joined) const {
  Readable readable(strings);
  Bytes mine;
  if (own) encode_own(pixels, mine);
  if (mine.size() > 0) readable.add(mine.view());
  if (joined != nullptr) join_layers(layout_, readable.strings(), pixels.size(), *joined);
  FinishedPlanes planes{out, planes_};
  for (std::size_t c = 0; c < planes.channels.size(); ++c)
    planes.channels[c] += static_cast<std::size_t>(pixels.begin - piece_.begin) * layout_.channels[c].bytes();
  finish_layers(layout_, readable.strings(), pixels.size(), background_ ? &*background_ : nullptr, planes);
}

}  // namespace sortlast
