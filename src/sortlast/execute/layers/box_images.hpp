// BoxImages: a rank's images of boxes of the frame, each at a place of its own in depth, as a content of
// varying size.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/execute/layers/box_canvas.hpp"
#include "sortlast/execute/layers/box_pixels.hpp"
#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/layers/content.hpp"
#include "sortlast/execute/run/peer_spans.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/accumulator.hpp"
#include "sortlast/image/blend.hpp"

namespace sortlast {

// What all images of a frame have in common.
struct BoxFrame {
  std::shared_ptr<const BoxTable> table;
  Format format;
  Op op = Op::over;
  std::optional<Background> background = {};
  bool sparse = true;  // leave out empty pixels where that pays
};

class BoxImages : public LayerContent {
 public:
  // `images`: those of `rank`, as the table counts them; of the frame's format, premultiplied. They must
  // stay. `peers`: the planes of the images of each rank whose parts may refer to them, image by image (see
  // box_list.hpp); null: none. `take`: as of Bytes, for what is copied from there.
  BoxImages(BoxFrame frame, std::int32_t rank, std::span<const ConstPixels> images,
            std::unique_ptr<const PeerSpans> peers = nullptr, Bytes::Take take = {});

  void encode_own(Range pixels, Bytes& out) const override;
  void encode_for_mates(Range pixels, Bytes& out) const override;
  bool pulls_from(int mate) const override { return peers_ && peers_->pulls_from(mate); }
  void join(std::span<const String> strings, Range pixels, Bytes& out) const override;
  void cut(String string, Range from, Range pixels, Bytes& out) const override;
  void finish(std::span<const String> strings, bool own, Range pixels, Pixels out,
              Bytes* joined) const override;
  bool takes_parts() const override { return true; }

 private:
  struct Own {
    BoxTable::Place place = 0;
    ConstPixels pixels;
    bool sparse = false;  // empty pixels are worth leaving out
  };

  const BoxTable& table() const { return *frame_.table; }
  std::int64_t width() const { return table().frame().width; }
  const Own* own(BoxTable::Place place) const;
  bool leaves_out_empty() const;
  void list_own(Range pixels, std::vector<BoxPixels>& parts) const;
  bool readable(std::int32_t rank) const { return peers_ && peers_->count(rank) > 0; }
  ConstPixels in_place(const PlacedBox& placed) const;
  void list_published(std::vector<BoxReference> references, Range pixels,
                      std::vector<BoxPixels>& parts) const;
  std::vector<BoxPixels> parts_of(std::span<const String> strings, Range of, bool own, Range pixels) const;
  std::size_t bytes_to_fetch(std::span<const BoxPixels> parts) const;
  void fetch(std::span<BoxPixels> parts, Bytes& room) const;
  void merge(std::vector<BoxPixels>& parts, Range pixels, Bytes& out) const;
  void append_one(std::span<const BoxPixels> parts, const Rectangle& box, Range pixels, Bytes& out) const;
  void finish_step(std::span<const BoxPixels> parts, Range pixels, Pixels out, BoxCanvas& canvas,
                   Bytes& accumulated) const;

  BoxFrame frame_;
  Accumulator accumulator_;
  BoxPixelFormat stored_;
  std::vector<Own> own_;  // by place
  std::unique_ptr<const PeerSpans> peers_;
  Bytes::Take take_;
};

}  // namespace sortlast
