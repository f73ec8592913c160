// Channel frames: composites and gathers images with extra channels per pixel.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sortlast/content/layers/image_codec.hpp"
#include "sortlast/content/layers/layout.hpp"
#include "sortlast/error.hpp"
#include "sortlast/execute/compositor_impl.hpp"
#include "sortlast/execute/layer_frames.hpp"

namespace sortlast {
namespace {

// Throw ArgumentError unless each channel has values wherever there is an image.
void check_values(const ImageView& image, std::span<const Channel> channels) {
  if (image.size.pixels() > most_counted)
    throw ArgumentError("the image has " + std::to_string(image.size.pixels()) +
                        " pixels; expected fewer than 2^32 of an image with channels");
  if (image.is_none() || image.size.pixels() == 0) return;
  for (const Channel& channel : channels) {
    if (channel.values == nullptr)
      throw ArgumentError("channel '" + channel.name +
                          "' has no values; expected those of the image's pixels");
    if (reinterpret_cast<std::uintptr_t>(channel.values) % alignof(float) != 0)
      throw ArgumentError("the values of channel '" + channel.name +
                          "' are not aligned; expected an address that is a multiple of 4");
  }
}

// The depth position of the rank's image.
std::uint32_t position_of(const std::vector<std::int32_t>& order, int rank) {
  if (order.empty()) return static_cast<std::uint32_t>(rank);
  return static_cast<std::uint32_t>(std::find(order.begin(), order.end(), rank) - order.begin());
}

std::vector<OwnImage> own_images(const ImageView& image, std::uint32_t position, const ChannelLayout& layout,
                                 std::span<const Channel> channels) {
  if (image.is_none()) return {};
  const Rectangle whole{0, 0, image.size.width, image.size.height};
  OwnImage own{position, whole, image.pixels, image.bounds.value_or(whole), {}};
  for (const SettledChannel& channel : layout.channels)
    own.channels.push_back(static_cast<const std::byte*>(channels[channel.source].values));
  return {own};
}

// Allocate the planes of a tile for its channels, and make the content write into them.
void make_planes(detail::TileData& tile, ImageCodec& content, Pool& pool) {
  std::vector<std::byte*> planes;
  for (const SettledChannel& channel : content.layout().channels) {
    ChannelPlane plane{channel.name, channel.type, static_cast<int>(channel.width), tile.range.size(), {}};
    plane.memory = pool.take(plane.bytes());
    planes.push_back(plane.memory.get());
    tile.channels.push_back(std::move(plane));
  }
  content.put_channels(tile.range, std::move(planes));
}

}  // namespace

Tile Compositor::Impl::composite_channels(const ImageView& image, Composition composition,
                                          std::span<const Channel> channels, const PixelBuffer& out) {
  composition.order = normalised(composition.order, session_.size);
  LayerCall call{image.size, image.format, {}, {}, {}};
  ChannelLayout layout;

  // Arguments that must be the same on all ranks.
  call.problem = problem_of([&] {
    call.arguments.emplace_back("op", op_name(composition.op));
    check_frame(image, composition, session_.size);
    check_values(image, channels);
    layout = settle(channels, composition.op, image.format);
    check_on_host(image.memory, out);
    detail::check_output(image, out.view());
  });
  call.arguments.emplace_back("order", text_of_ranks(composition.order));
  call.arguments.emplace_back("background", text(composition.background));
  for (const SettledChannel& channel : layout.channels)
    call.arguments.emplace_back("channel " + channel.name, text(channel));

  // The content, and the memory it writes the tile's pixels into.
  ImageCodec* content = nullptr;
  call.content = [&](const FrameContext&) -> std::unique_ptr<const StringCodec> {
    const ImageView drawn =
        composition.premultiplied ? image : premultiplied(image, own_image_, *session_.node);
    ImageFrame frame{layout, image.size.width};
    if (!composition.background.empty())
      frame.background = Background(composition.op, image.format, composition.background);
    auto made = std::make_unique<ImageCodec>(
        std::move(frame), own_images(drawn, position_of(composition.order, session_.rank), layout, channels));
    content = made.get();
    return made;
  };
  call.prepare = [&](detail::TileData& tile) { make_planes(tile, *content, session_.pool); };
  return composite_layers(call, out);
}

void Compositor::Impl::gather_channels(const Gathering& image, std::optional<Frame>& frame) {
  WireOptions wire = wire_options();
  wire.sparse = false;  // the search for empty pixels handles images of 3 or 4 channels only
  for (const ChannelPlane& plane : image.tile.channels) {
    // Gather a plane like an image with the same number of bytes per pixel.
    detail::TileData tile = image.tile;
    tile.format = {Scalar::float32, plane.width};
    tile.pixels = PixelBuffer(plane.memory, Pixels{plane.memory.get(), nullptr});
    tile.shared.reset();
    const std::optional<Frame> whole = gather_tiles({{tile, image.root}}, wire, context());
    if (!whole || !frame) continue;
    ChannelPlane collected = plane;
    collected.pixels = tile.size.pixels();
    collected.memory = Memory(whole->pixels.memory(), whole->pixels.view().colour);
    frame->channels.push_back(std::move(collected));
  }
}

}  // namespace sortlast
