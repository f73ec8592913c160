// Image codec: a rank's images in the form that the engine carries: any number of boxes of the frame, each
// at a separate depth position, or one image with extra channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/content/layers/canvas.hpp"
#include "sortlast/content/layers/layer.hpp"
#include "sortlast/content/layers/layout.hpp"
#include "sortlast/content/layers/own.hpp"
#include "sortlast/content/pixels/peer_spans.hpp"
#include "sortlast/content/strings/string_codec.hpp"
#include "sortlast/image/accumulator.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// The properties that all images of a frame share.
struct ImageFrame {
  ChannelLayout layout;
  std::int64_t width = 0;  // of the frame [pixels]
  std::optional<Background> background = {};
  // For boxes without channels: leave out empty pixels where that pays, and blend early where that saves
  // memory.
  bool sparse = true;
  bool merges = true;
};

// A frame of boxes without channels. Throws ArgumentError if the format does not suit the operator.
ImageFrame frame_of_boxes(std::shared_ptr<const BoxTable> table, Op op, const Format& format, bool sparse);

class ImageCodec final : public StringCodec {
 public:
  // A rank's contribution to a frame: its images, which the caller owns. An image takes no part outside its
  // box.
  ImageCodec(ImageFrame frame, std::vector<OwnImage> images);
  // The images of `rank`, without channels, premultiplied, in the order of the frame's table. They must stay
  // valid. `peers`: the planes of the images that layers may refer to, by rank and image (see box_list.hpp);
  // null: none. `take`: allocator of Bytes for data copied from there.
  ImageCodec(ImageFrame frame, std::int32_t rank, std::span<const ConstPixels> images,
             std::unique_ptr<const PeerSpans> peers = nullptr, Bytes::Take take = {});

  const ChannelLayout& layout() const { return frame_.layout; }
  // Set where finish() writes the channels of the pixels `piece`: planes in the layout's order, owned by the
  // caller. Must be called before finish() if there are channels.
  void put_channels(Range piece, std::vector<std::byte*> planes);

  void encode_own(Range pixels, Bytes& out) const override;
  void encode_for_mates(Range pixels, Bytes& out) const override;
  bool pulls_from(int mate) const override { return peers_ && peers_->pulls_from(mate); }
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;
  bool takes_parts() const override { return !layout().joins_as_tree(); }

 private:
  // Layers, and the memory that holds them.
  struct Listed;

  const BoxTable& table() const { return *layout().boxes; }
  const OwnImage* own(BoxTable::Place place) const;
  bool leaves_out_empty() const;
  std::int32_t own_rank() const { return table().at(images_.front().place).rank; }
  void list_own(Range pixels, Listed& listed) const;
  bool readable(std::int32_t rank) const { return peers_ && peers_->count(rank) > 0; }
  ConstPixels in_place(const PlacedBox& placed) const;
  void list_published(std::vector<ImageReference> references, Range pixels, std::vector<Layer>& layers) const;
  void list(std::span<const String> strings, Range of, bool own, Range pixels, Listed& listed) const;
  std::size_t bytes_to_fetch(std::span<const Layer> layers) const;
  void fetch(std::span<Layer> layers, Bytes& room) const;
  void finish_tree(std::span<const String> strings, bool own, Range pixels, Pixels out, Bytes* joined) const;
  void finish_step(std::span<const Layer> layers, Range pixels, Pixels out, Canvas& canvas,
                   Bytes& accumulated) const;

  ImageFrame frame_;
  Accumulator accumulator_;
  std::vector<OwnImage> images_;  // by place
  Range piece_ = {};
  std::vector<std::byte*> planes_;
  std::unique_ptr<const PeerSpans> peers_;
  Bytes::Take take_;
};

}  // namespace sortlast
