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

// The pixels that one rank has finished, and their place in the image. Copies share the pixels, which stay
// valid and unchanged as long as a copy exists, whatever the compositor does later.
class SORTLAST_API Tile {
 public:
  Tile() = default;  // a tile without a frame: no pixels

  // The ranges [begin, end) of row-major pixel indices of the whole image that the tile holds, one after the
  // other. None for an empty tile; one, unless the image was divided into blocks (Composition::root).
  std::vector<Range> ranges() const;
  bool contiguous() const;
  // If contiguous, the only range. Otherwise a range of the same length, counted in the order in which the
  // blocks were assigned.
  Range range() const;

  Size size() const;  // size of the whole image
  Format format() const;
  const PixelBuffer& pixels() const;  // range().size() of them
  // For pixels in the memory of a GPU: the stream of this rank's image, on which they are finished.
  void* stream() const;
  // The scalars of the colours, as float, Half or std::uint8_t. Throws ArgumentError if the format has
  // another type.
  template <typename T>
  std::span<const T> colour() const {
    return detail::scalars_of<const T>(pixels().view().colour, format(), range().size());
  }

  // The values of the further channels at the tile's pixels, sorted by channel name.
  const std::vector<ChannelPlane>& channels() const;

  // Number of the frame, from 1, the same on every rank; 0: no frame.
  std::int64_t frame() const;
  // Ranks that arrived too late for this frame, ascending; the same on every rank of the frame.
  const std::vector<std::int32_t>& left_out() const;

  // Assigns pixels to ranks, numbered without the ranks that were left out; null for a tile without a frame.
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
  std::vector<ChannelPlane> channels = {};  // the collected channels, sorted by name
  void* stream = nullptr;                   // as Tile::stream()

  // The scalars of the colours, as float, Half or std::uint8_t. Throws ArgumentError if the format has
  // another type.
  template <typename T>
  std::span<const T> colour() const {
    return detail::scalars_of<const T>(pixels.view().colour, format, size.pixels());
  }
};

}  // namespace sortlast
