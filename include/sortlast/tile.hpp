// Tile and frame: the finished pixels that one rank holds after compositing, and a whole finished image.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/channels.hpp"
#include "sortlast/export.hpp"
#include "sortlast/image.hpp"
#include "sortlast/schedule.hpp"

namespace sortlast {

namespace detail {
struct TileData;
struct TileAccess;
}  // namespace detail

// The pixels that one rank has finished, and where in the image they belong. Copies share the pixels, which
// stay valid and unchanged for as long as a copy exists, whatever the compositor does later.
class SORTLAST_API Tile {
 public:
  Tile() = default;  // of no frame: no pixels

  // Ranges [begin, end) of the whole image's pixels, row-major, whose pixels lie here one behind the other;
  // none for an empty tile, and one unless the image was dealt out in blocks (Composition::root).
  std::vector<Range> ranges() const;
  bool contiguous() const;
  // Contiguous: the one range of the image. Else the same number of pixels, counted in the order in which the
  // blocks were dealt out.
  Range range() const;

  Size size() const;  // of the whole image
  Format format() const;
  const PixelBuffer& pixels() const;  // range().size() of them
  // The scalars of the colours, as float, Half or std::uint8_t. Throws ArgumentError if the format has
  // others.
  template <typename T>
  std::span<const T> colour() const {
    return detail::scalars_of<const T>(pixels().view().colour, format(), range().size());
  }

  // The values of its pixels in the channels that the images had, in the order of the channels' names.
  const std::vector<ChannelPlane>& channels() const;

  // Number of its frame, from 1, the same on every rank; 0: of no frame.
  std::int64_t frame() const;
  // Ranks whose images are not in it, as they came too late, ascending; the same on every rank of the frame.
  const std::vector<std::int32_t>& left_out() const;

  // Which rank holds which pixels, numbered without those that are left out; null for a tile of no frame.
  std::shared_ptr<const Schedule> schedule() const;

 private:
  friend struct detail::TileAccess;

  std::shared_ptr<const detail::TileData> data_;
};

// A whole finished image.
struct Frame {
  Size size;
  Format format;
  PixelBuffer pixels;
  std::vector<ChannelPlane> channels = {};  // those collected, in the order of their names

  // The scalars of the colours, as float, Half or std::uint8_t. Throws ArgumentError if the format has
  // others.
  template <typename T>
  std::span<const T> colour() const {
    return detail::scalars_of<const T>(pixels.view().colour, format, size.pixels());
  }
};

}  // namespace sortlast
