// Tile.
#include "sortlast/tile.hpp"

#include "sortlast/execute/run/tile_data.hpp"

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
std::shared_ptr<const Schedule> Tile::schedule() const { return TileAccess::data(*this).schedule; }

}  // namespace sortlast
