// The oracle of box images: row by row, cut at the edges of boxes, each part by the reference loop.
#include <algorithm>
#include <set>
#include <vector>

#include "sortlast/content/layers/box_table.hpp"
#include "sortlast/content/pixels/pool.hpp"
#include "sortlast/error.hpp"
#include "sortlast/image/blend.hpp"
#include "sortlast/serial.hpp"

namespace sortlast {
namespace {

void composite_row(std::span<const BoxImage> images, const BoxTable& table, std::int64_t row, Op op,
                   const Frame& frame, bool background) {
  const Range pixels{row * frame.size.width, (row + 1) * frame.size.width};
  const std::vector<BoxTable::Place> present = table.meeting(pixels);
  std::set<std::int64_t> cuts{0, frame.size.width};
  for (const BoxTable::Place place : present) cuts.insert({table.at(place).box.x0, table.at(place).box.x1});
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) {
    const std::int64_t begin = *cut;
    const std::int64_t end = *std::next(cut);
    std::vector<Link> chain;
    for (const BoxTable::Place place : present) {
      const PlacedBox& placed = table.at(place);
      if (placed.box.x0 > begin || placed.box.x1 < end) continue;
      const ImageView& image = images[static_cast<std::size_t>(placed.index)].image;
      const std::int64_t at = (row - placed.box.y0) * image.size.width + begin - placed.box.x0;
      chain.push_back({advance(image.pixels, frame.format, at), frame.format.scalar, Side::back});
    }
    const Pixels out = advance(frame.pixels.view(), frame.format, pixels.begin + begin);
    if (chain.empty()) {
      fill_absent(op, frame.format, background, out, end - begin);
    } else {
      blend_reference(op, frame.format.channels, frame.format.depth, chain, out, frame.format.scalar,
                      end - begin);
    }
  }
}

}  // namespace

Frame composite_serial(std::span<const BoxImage> images, Size size, const Format& format, Op op,
                       std::span<const float> background) {
  check_format(format, op);
  check_box_images(images, size, format);
  std::vector<PlacedBox> placed;
  for (std::size_t i = 0; i < images.size(); ++i)
    placed.push_back({images[i].position, box_of(images[i], size), 0, static_cast<std::int32_t>(i)});
  const BoxTable table(std::move(placed), size);

  Pool pool;
  Frame frame{size, format, take_pixels(pool, format, size.pixels())};
  if (size.pixels() == 0) return frame;
  for (std::int64_t row = 0; row < size.height; ++row)
    composite_row(images, table, row, op, frame, !background.empty());
  if (!background.empty()) apply_background(op, format, background, frame.pixels.view(), size.pixels());
  return frame;
}

}  // namespace sortlast
