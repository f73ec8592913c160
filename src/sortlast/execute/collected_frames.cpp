// Collected frames: of several images a rank, at one rank. All travel to the rank that is to have the frame,
// as they are, and it blends them.
#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/mpi/collected_images.hpp"
#include "sortlast/schedule/collect.hpp"

namespace sortlast {
// Whether the frame is made at the root alone: the images of all ranks bring it no more than their finished
// pieces would.
bool Compositor::Impl::collects(const BoxCall& call, const BoxTable& table) const {
  const bool allowed =
      call.composition.root >= 0 && size_ > 1 && nodes_.empty() && options_.algorithm == "auto";
  return allowed && table.pixels() <= call.size.pixels();
}

Tile Compositor::Impl::composite_at_root(const BoxCall& call, ImageFrame frame,
                                         const std::vector<ConstPixels>& pixels) {
  const Composition& composition = call.composition;
  if (!composition.background.empty())
    frame.background.emplace(composition.op, frame.layout.format, composition.background, call.background_depth);
  begin_layers();
  const std::string name = "collect:" + std::to_string(composition.root);
  if (!layer_schedule_ || layer_name_ != name || layer_schedule_->n() != call.size.pixels()) {
    layer_exchange_.reset();
    layer_schedule_ = std::make_shared<const Schedule>(
        collect_schedule(setting(call.size.pixels(), {}, true), composition.root));
    layer_name_ = name;
    layers_in_place_ = false;
  }
  timing_.stages = layer_schedule_->stages();
  detail::TileData tile{layer_schedule_->piece(rank_), call.size, frame.layout.format, {}, {},
                        layer_schedule_, maker_, ++frame_, {}};
  const std::size_t before = pool_.taken();
  std::unique_ptr<const PeerSpans> others =
      collect_images(*frame.layout.boxes, frame.layout.format, composition.root, pixels, context());
  tile.pixels = place_in(tile, call.out);
  if (rank_ == composition.root && !tile.range.empty()) {
    tile.has_frame = tile.pixels.view().colour == nullptr;
    if (tile.has_frame) tile.pixels = take_pixels(pool_, frame.layout.format, tile.range.size());
    const std::shared_ptr<const BoxTable> table = frame.layout.boxes;
    finish_at_root(ImageContent(std::move(frame), rank_, pixels, std::move(others)), *table, tile);
  }
  const bool own_pixels = call.out.view().colour == nullptr;
  const std::size_t result = own_pixels ? PixelBuffer::bytes(tile.format, tile.range.size()) : 0;
  timing_.peak_bytes = static_cast<std::int64_t>(pool_.peak() - before) - static_cast<std::int64_t>(result);
  timing_.peak_bytes = std::max<std::int64_t>(0, timing_.peak_bytes);
  return detail::TileAccess::make(std::move(tile));
}

// Blend all images into the tile, each thread some rows.
void Compositor::Impl::finish_at_root(const ImageContent& images, const BoxTable& table,
                                      const detail::TileData& tile) {
  const double begin = trace_clock();
  Bytes others;
  for (std::int32_t rank = 0; rank < size_; ++rank)
    if (rank != rank_) append_reference({rank, {0, tile.range.size()}}, others);
  const LayerContent::String string = others.view();
  const std::span<const LayerContent::String> strings(&string, string.empty() ? 0 : 1);

  const Size size = table.frame();
  const std::int64_t parts = team_->size() == 1 ? 1 : std::min<std::int64_t>(size.height, 4L * team_->size());
  std::atomic<std::int64_t> next{0};
  team_->run([&](int) {
    for (std::int64_t part = next++; part < parts; part = next++) {
      const Range rows = piece_of(size.height, parts, part);
      const Range pixels{rows.begin * size.width, rows.end * size.width};
      images.finish(strings, true, pixels, advance(tile.pixels.view(), tile.format, pixels.begin), nullptr);
    }
  });
  const double end = trace_clock();
  timing_.blend += end - begin;
  record({Activity::blend, begin, end, -1, -1, tile.range.size()});
}

}  // namespace sortlast
