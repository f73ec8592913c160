// Tiles, and the positions of their pixels in an image.
#include "sortlast/content/pixels/tile.hpp"

#include <cstring>
#include <functional>

#include "sortlast/error.hpp"

namespace sortlast {

using detail::TileAccess;

std::vector<Range> Tile::ranges() const {
  const detail::TileData& data = TileAccess::data(*this);
  return data.interleaving.ranges(data.range);
}

bool Tile::contiguous() const { return TileAccess::data(*this).interleaving.none(); }
Range Tile::range() const { return TileAccess::data(*this).range; }
Size Tile::size() const { return TileAccess::data(*this).size; }
Format Tile::format() const { return TileAccess::data(*this).format; }
const PixelBuffer& Tile::pixels() const { return TileAccess::data(*this).pixels; }
const std::vector<ChannelPlane>& Tile::channels() const { return TileAccess::data(*this).channels; }
void* Tile::stream() const { return TileAccess::data(*this).stream; }
std::int64_t Tile::frame() const { return TileAccess::data(*this).frame; }
const std::vector<std::int32_t>& Tile::left_out() const { return TileAccess::data(*this).left_out; }
std::shared_ptr<const Schedule> Tile::schedule() const { return TileAccess::data(*this).schedule; }

namespace {

struct Plane {
  const void* begin = nullptr;
  std::size_t bytes = 0;
};

bool overlap(const Plane& a, const Plane& b) {
  if (a.begin == nullptr || b.begin == nullptr || a.bytes == 0 || b.bytes == 0) return false;
  const auto end_of = [](const Plane& plane) {
    return static_cast<const std::byte*>(plane.begin) + plane.bytes;
  };
  const std::less<const void*> before;  // defined for any two addresses
  return before(a.begin, end_of(b)) && before(b.begin, end_of(a));
}

}  // namespace

void detail::put_pixels(const Interleaving& interleaving, const Format& format, Range pixels,
                        ConstPixels from, Pixels image) {
  for (std::int64_t at = pixels.begin; at < pixels.end;) {
    const Range lies = interleaving.run({at, pixels.end});
    const ConstPixels run = advance(from, format, at - pixels.begin);
    const Pixels to = advance(image, format, lies.begin);
    const auto count = static_cast<std::size_t>(lies.size());
    if (to.colour != run.colour) std::memcpy(to.colour, run.colour, count * format.colour_bytes());
    if (format.depth && to.depth != run.depth) std::memcpy(to.depth, run.depth, count * sizeof(float));
    at += lies.size();
  }
}

void detail::check_output(const ImageView& image, Pixels out, Size frame) {
  if (out.colour == nullptr) return;
  if (image.format.depth && out.depth == nullptr)
    throw ArgumentError("out has no depth plane; expected one, as the images have a depth");
  const auto colours = [&](Size size) {
    return static_cast<std::size_t>(size.pixels()) * image.format.colour_bytes();
  };
  const auto depths = [&](Size size) {
    return image.format.depth ? static_cast<std::size_t>(size.pixels()) * sizeof(float) : 0;
  };
  for (const Plane& read :
       {Plane{image.pixels.colour, colours(image.size)}, Plane{image.pixels.depth, depths(image.size)}}) {
    if (overlap(read, {out.colour, colours(frame)}) || overlap(read, {out.depth, depths(frame)}))
      throw ArgumentError(
          "out overlaps the image; expected memory of its own, as other ranks read the image while the "
          "finished pixels are written");
  }
}

}  // namespace sortlast
