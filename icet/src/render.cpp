#include "render.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "projection.hpp"
#include "sortlast/error.hpp"

namespace sortlast::icet {
namespace {

Memory ordinary_memory(std::size_t number, std::size_t bytes) {
  auto* data = static_cast<std::byte*>(std::calloc(number, bytes));
  if (data == nullptr && number > 0) throw std::bad_alloc();
  return {data, [](std::byte* end) { std::free(end); }};
}

// Call the callback for the part of the picture in the window `rendered`. Afterwards the context is current
// again, even if the callback has made another one current.
void call_draw(IceTContextStruct& context, const Viewport& rendered, const Viewport& readback, Image& image) {
  FrameState& frame = context.frame;
  frame.rendered = rendered;
  const Matrix projection = multiply(onto(global_viewport(context.settings), rendered), frame.projection);
  const Matrix modelview = frame.modelview;
  const Colour background = frame.drawn_background;
  const double begin = icetWallTime();
  const double read = frame.times.read;
  struct Target {
    IceTContextStruct& context;
    Target(IceTContextStruct& of, Image& image) : context(of) {
      context.frame.target = &image;
      make_current(context);
    }
    ~Target() {
      context.frame.target = nullptr;
      make_current(context);
    }
  };
  const Target target(context, image);
  frame.draw(projection.data(), modelview.data(), background.data(), readback.data(), image.face());
  // Reading back pixels, by a layer over the callback, does not count as rendering.
  frame.times.render += icetWallTime() - begin - (frame.times.read - read);
}

// The region that a viewport of the picture covers in a window.
Region region_of(const Viewport& viewport, const Viewport& window) {
  return {viewport[0] - window[0], viewport[1] - window[1], viewport[2], viewport[3]};
}

Part part_of(Image& image, const Viewport& seen, const Viewport& window, const Viewport& tile) {
  if (is_empty(seen)) return {};
  return {&image, region_of(seen, window), seen[0] - tile[0], seen[1] - tile[1]};
}

}  // namespace

void size_image(IceTContextStruct& context, Image& image, Size size) {
  const Settings& settings = context.settings;
  if (image.pixels.memory() && image.size == size && image.colour_format == settings.colour_format &&
      image.depth_format == settings.depth_format)
    return;
  image = {};
  const Format format = format_of(settings.colour_format, settings.depth_format);
  const std::size_t bytes = PixelBuffer::bytes(format, size.pixels());
  Memory memory;
  try {
    memory = context.compositor->allocate(bytes);
  } catch (const Error&) {  // the system has no shared memory left
    memory = ordinary_memory(bytes, 1);
  }
  image = {settings.colour_format, settings.depth_format, size, PixelBuffer(memory, format, size.pixels()),
           false};
}

std::vector<Part> draw_tiles(IceTContextStruct& context) {
  const Settings& settings = context.settings;
  const FrameState& frame = context.frame;
  const Size window_size{settings.physical_width, settings.physical_height};
  const auto touched = std::count(frame.mask.begin(), frame.mask.end(), ICET_TRUE);
  const bool floating = settings.on(ICET_FLOATING_VIEWPORT) && touched > 1 &&
                        frame.contained[2] <= window_size.width && frame.contained[3] <= window_size.height;
  context.drawn.resize(std::max<std::size_t>(1, floating ? 1 : settings.tiles.size()));

  std::vector<Part> parts(settings.tiles.size());
  bool floated = false;
  for (std::size_t i = 0; i < settings.tiles.size(); ++i) {
    const Viewport& tile = settings.tiles[i].viewport;
    const bool is_touched = frame.mask[i] != ICET_FALSE;
    if (!is_touched && !settings.on(ICET_RENDER_EMPTY_IMAGES)) continue;
    const bool floats = is_touched && floating;
    Image& image = context.drawn[floating ? 0 : i];
    if (!is_touched && floated) continue;  // the image is needed; the callback was called already
    const Viewport& corner = floats ? frame.contained : tile;
    const Viewport window = {corner[0], corner[1], settings.physical_width, settings.physical_height};
    const Viewport seen = is_touched ? intersection(intersection(frame.contained, tile), window)
                                     : Viewport{window[0], window[1], 0, 0};
    if (!floats || !floated) {
      size_image(context, image, window_size);
      const Viewport drawn = floats ? frame.contained : seen;
      call_draw(context, window, {drawn[0] - window[0], drawn[1] - window[1], drawn[2], drawn[3]}, image);
      floated = floated || floats;
    }
    if (is_touched) parts[i] = part_of(image, seen, window, tile);
  }
  return parts;
}

Image given_image(IceTContextStruct& context, const Given& given) {
  const Settings& settings = context.settings;
  const Viewport global = global_viewport(settings);
  Image image;
  image.colour_format = settings.colour_format;
  image.depth_format = settings.depth_format;
  image.size = {global[2], global[3]};
  image.read_only = true;
  // The pixels are only read. The cast is needed because the compositor and the callback's image are not
  // const.
  Pixels pixels{const_cast<std::byte*>(static_cast<const std::byte*>(given.colour)),
                const_cast<float*>(static_cast<const float*>(given.depth))};
  Memory zeros;
  if (settings.depth_format != ICET_IMAGE_DEPTH_FLOAT) pixels.depth = nullptr;
  if (settings.colour_format == ICET_IMAGE_COLOR_NONE) {
    const std::size_t pixel_bytes = format_of(image.colour_format, image.depth_format).colour_bytes();
    zeros = ordinary_memory(static_cast<std::size_t>(image.size.pixels()), pixel_bytes);
    pixels.colour = zeros.get();
  }
  image.pixels = PixelBuffer(zeros, pixels);
  return image;
}

std::vector<Part> tiles_of(IceTContextStruct& context, Image& drawn) {
  const Settings& settings = context.settings;
  const Viewport global = global_viewport(settings);
  std::vector<Part> parts;
  for (std::size_t i = 0; i < settings.tiles.size(); ++i) {
    const Viewport& tile = settings.tiles[i].viewport;
    const bool is_touched = context.frame.mask[i] != ICET_FALSE;
    parts.push_back(is_touched ? part_of(drawn, intersection(context.frame.contained, tile), global, tile)
                               : Part{});
  }
  return parts;
}

Part whole_tile(IceTContextStruct& context, std::size_t tile, const Part& part) {
  if (part.image == nullptr) return part;
  const Viewport& viewport = context.settings.tiles[tile].viewport;
  const Size size{viewport[2], viewport[3]};
  const bool lies_so = part.image->size == size && part.region.x == part.x && part.region.y == part.y;
  const bool fills = part.region.width == size.width && part.region.height == size.height;
  if (lies_so && (context.alone || fills || !part.image->read_only)) return part;
  context.cut.resize(context.settings.tiles.size());
  Image& image = context.cut[tile];
  const double begin = icetWallTime();
  size_image(context, image, size);
  copy_region(*part.image, part.region, image, part.x, part.y);
  context.frame.times.read += icetWallTime() - begin;
  return {&image, {part.x, part.y, part.region.width, part.region.height}, part.x, part.y};
}

}  // namespace sortlast::icet
