// Collected frames: of several images a rank, at one rank. All travel to the rank that is to have the frame,
// as they are, and it blends them.
#include <algorithm>
#include <atomic>
#include <iomanip>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/execute/box_frames.hpp"
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/layers/box_costs.hpp"
#include "sortlast/execute/layers/box_pixels.hpp"
#include "sortlast/execute/mpi/collected_images.hpp"
#include "sortlast/schedule/collect.hpp"

namespace sortlast {
namespace {

std::string milliseconds(double seconds) {
  std::ostringstream out;
  out << std::setprecision(3) << 1e3 * seconds << " ms";
  return out.str();
}

}  // namespace

// Whether the frame is made at the root alone; `why` then becomes what is to be told of it.
bool Compositor::Impl::collects(const BoxCall& call, const BoxFrame& frame,
                                const std::vector<BoxCount>& counts, std::string& why) const {
  const int root = call.composition.root;
  if (root < 0 || size_ == 1 || !nodes_.empty() || options_.algorithm != "auto") return false;
  std::vector<std::uint64_t> sent;
  for (const BoxCount& count : counts) sent.push_back(count.bytes);
  const BoxCosts costs = box_costs(*frame.table, frame.format, sent, {size_, root, cores_}, profile_.machine);
  const bool collect = costs.collected < costs.pieces;
  if (collect)
    why = "each was sent to rank " + std::to_string(root) + " at once, which is predicted to take " +
          milliseconds(costs.collected) + ", and pieces to be gathered " + milliseconds(costs.pieces);
  return collect;
}

Tile Compositor::Impl::composite_at_root(const BoxCall& call, BoxFrame frame,
                                         const std::vector<ConstPixels>& pixels) {
  const Composition& composition = call.composition;
  if (!composition.background.empty())
    frame.background.emplace(composition.op, frame.format, composition.background, call.background_depth);
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
  detail::TileData tile{
      layer_schedule_->piece(rank_), call.size, frame.format, {}, {}, layer_schedule_, maker_, ++frame_, {}};
  const std::size_t before = pool_.taken();
  std::unique_ptr<const PeerSpans> others =
      collect_images(*frame.table, frame.format, composition.root, pixels, context());
  tile.pixels = place_in(tile, call.out);
  if (rank_ == composition.root && !tile.range.empty()) {
    tile.has_frame = tile.pixels.view().colour == nullptr;
    if (tile.has_frame) tile.pixels = take_pixels(pool_, frame.format, tile.range.size());
    const std::shared_ptr<const BoxTable> table = frame.table;
    finish_at_root(BoxImages(std::move(frame), rank_, pixels, std::move(others)), *table, tile);
  }
  const bool own_pixels = call.out.view().colour == nullptr;
  const std::size_t result = own_pixels ? PixelBuffer::bytes(tile.format, tile.range.size()) : 0;
  timing_.peak_bytes = static_cast<std::int64_t>(pool_.peak() - before) - static_cast<std::int64_t>(result);
  timing_.peak_bytes = std::max<std::int64_t>(0, timing_.peak_bytes);
  return detail::TileAccess::make(std::move(tile));
}

// Blend all images into the tile, each thread some rows.
void Compositor::Impl::finish_at_root(const BoxImages& images, const BoxTable& table,
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
