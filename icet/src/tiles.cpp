#include "tiles.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "sortlast/execute/mpi/compositor_access.hpp"

namespace sortlast::icet {
namespace {

std::vector<std::int32_t> in_rank_order(int p) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(p));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// One tile, composited, with its background filled.
class TileFrame {
 public:
  TileFrame(IceTContextStruct& context, std::size_t tile)
      : context_(context),
        settings_(context.settings),
        frame_(context.frame),
        tile_(settings_.tiles[tile]),
        size_{tile_.viewport[2], tile_.viewport[3]},
        format_(format_of(settings_.colour_format, settings_.depth_format)) {
    composition_.op = settings_.mode == ICET_COMPOSITE_MODE_BLEND ? Op::over : Op::closest;
    if (settings_.is_ordered()) composition_.order = settings_.order;
    // A tile that will be collected may be divided into interleaved blocks.
    if (settings_.on(ICET_INTERLACE_IMAGES) && settings_.on(ICET_COLLECT_IMAGES))
      composition_.root = tile_.rank;
    if (composition_.op == Op::closest) {
      // At equal depths, IceT shows the pixel farther back in the order; the compositor shows the other one.
      if (composition_.order.empty()) composition_.order = in_rank_order(context.size);
      std::reverse(composition_.order.begin(), composition_.order.end());
    }
    if (composition_.op == Op::closest) composition_.background = stored_colour(format_, shown());
    if (frame_.corrects_background)
      composition_.background.assign(frame_.background.begin(), frame_.background.end());
  }

  // Returns the pixels that this rank has finished, to be collected.
  Tile composite(const Part& part) {
    Tile tile = composited(part, {});
    finish(tile.pixels().view(), tile.range().size());
    count();
    return tile;
  }

  // Show a tile in which no rank draws: nothing is sent.
  void show_background() {
    if (tile_.rank != context_.rank) return;
    size_image(context_, context_.result, size_);
    const bool shows = composition_.op == Op::closest || frame_.corrects_background;
    fill_with(format_, context_.result.pixels.view(), size_.pixels(), shows ? frame_.background : Colour{});
  }

  // Leave the pixels in place, in an image of the whole tile.
  void leave(const Part& part) {
    size_image(context_, context_.result, size_);
    const Tile tile = composited(part, context_.result.pixels);
    const Range range = tile.range();
    finish(advance(context_.result.pixels.view(), format_, range.begin), range.size());
    count();
    frame_.valid_tile = range.empty() ? -1 : 0;
    frame_.valid_offset = static_cast<IceTInt>(range.begin);
    frame_.valid_number = static_cast<IceTInt>(range.size());
  }

 private:
  // Without colours, the ranks have agreed on no background.
  Colour shown() const {
    return settings_.colour_format == ICET_IMAGE_COLOR_NONE ? Colour{} : frame_.background;
  }

  Tile composited(const Part& part, const PixelBuffer& out) {
    constexpr float farthest = 1;  // depth of pixels without content
    return detail::CompositorAccess::composite(*context_.compositor, view_of(part), composition_, out,
                                               farthest);
  }

  ImageView view_of(const Part& part) {
    if (part.image == nullptr) return ImageView::none(size_, format_);
    // All nonempty pixels of an image are sent to other machines, wherever they are. A blend accepts colours
    // at any depth, because volumes have them.
    if (!context_.alone && !part.image->read_only) {
      const double begin = icetWallTime();
      empty_outside(*part.image, part.region);
      if (composition_.op == Op::closest) empty_background(*part.image, part.region);
      frame_.times.compress += icetWallTime() - begin;
    }
    return {part.image->pixels.view(), size_, format_, part.region.rectangle()};
  }

  // A blend accepts colours at any depth, but limits the depths of the result to 1, the depth of pixels
  // without content.
  void finish(Pixels pixels, std::int64_t n) {
    if (!format_.depth || composition_.op == Op::closest) return;
    for (std::int64_t i = 0; i < n; ++i) pixels.depth[i] = std::min(pixels.depth[i], 1.0F);
  }

  void count() {
    const Timing& timing = context_.compositor->timing();
    frame_.times.blend += timing.blend;
    frame_.times.late += timing.late;
    frame_.times.bytes_sent += timing.bytes_sent;
  }

  IceTContextStruct& context_;
  const Settings& settings_;
  FrameState& frame_;
  const TileOfDisplay& tile_;
  Size size_;
  Format format_;
  Composition composition_;
};

bool is_collecting(const IceTContextStruct& context) {
  const Settings& settings = context.settings;
  if (settings.on(ICET_COLLECT_IMAGES)) return true;
  if (settings.tiles.size() < 2) return false;
  raise_warning(
      ICET_INVALID_OPERATION,
      "ICET_COLLECT_IMAGES is disabled with several tiles, of which a rank would have several parts; the "
      "tiles are collected");
  return true;
}

// Collect tiles at the ranks that display them, all at once, so that each rank's link carries its own tile.
void collect(IceTContextStruct& context, const std::vector<Tile>& tiles, const std::vector<int>& displays) {
  if (tiles.empty()) return;
  const Settings& settings = context.settings;
  const bool depth = settings.depth_format == ICET_IMAGE_DEPTH_FLOAT;
  const std::optional<Frame> own =
      detail::CompositorAccess::gather(*context.compositor, tiles, displays, depth);
  context.frame.times.collect = context.compositor->timing().gather;
  if (own) context.result = {settings.colour_format, settings.depth_format, own->size, own->pixels, false};
}

}  // namespace

void composite_tiles(IceTContextStruct& context, const std::vector<Part>& parts) {
  const bool collecting = is_collecting(context);
  const std::vector<IceTBoolean>& masks = context.frame.masks;
  std::vector<Tile> tiles;
  std::vector<int> displays;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    TileFrame tile(context, i);
    bool drawn = masks.empty();
    for (std::size_t of_rank = i; of_rank < masks.size(); of_rank += parts.size())
      drawn |= masks[of_rank] != ICET_FALSE;
    if (!drawn) {
      tile.show_background();
    } else if (collecting) {
      tiles.push_back(tile.composite(whole_tile(context, i, parts[i])));
      displays.push_back(context.settings.tiles[i].rank);
    } else {
      tile.leave(whole_tile(context, i, parts[i]));
    }
  }
  collect(context, tiles, displays);
}

}  // namespace sortlast::icet
