// Staging: a copy of an image in a segment, for processes that cannot read it where it is.
#include "sortlast/execute/node/staging.hpp"

#include <cstring>

namespace sortlast {

Staging::Places Staging::copy(ConstPixels pixels, const Format& format, std::int64_t count, Range part) {
  const std::size_t colour = (static_cast<std::size_t>(count) * format.colour_bytes() + 63) / 64 * 64;
  const bool with_depth = format.depth && pixels.depth != nullptr;
  const std::size_t bytes = colour + (with_depth ? static_cast<std::size_t>(count) * sizeof(float) : 0);
  if (!segment_ || segment_->name().bytes < bytes || segment_->name().bytes / 4 > bytes) {
    segment_.reset();
    segment_.emplace(bytes);
  }

  const auto begin = static_cast<std::size_t>(part.begin);
  const auto copied = static_cast<std::size_t>(part.size());
  const std::size_t first = begin * format.colour_bytes();
  std::memcpy(segment_->data() + first, pixels.colour + first, copied * format.colour_bytes());
  if (!with_depth) return {{segment_->name(), 0}, {}};
  std::memcpy(segment_->data() + colour + begin * sizeof(float), pixels.depth + begin,
              copied * sizeof(float));
  return {{segment_->name(), 0}, {segment_->name(), colour}};
}

}  // namespace sortlast
