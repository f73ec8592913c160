// Shared images.
#include "sortlast/execute/node/shared_images.hpp"

#include <cstring>
#include <utility>

namespace sortlast {

Memory Allocations::take(std::size_t bytes) {
  const Segment segment(bytes);
  std::byte* const data = segment.data();
  const auto address = reinterpret_cast<std::uintptr_t>(data);
  {
    const std::lock_guard lock(state_->mutex);
    state_->segments[address] = segment.name();
  }
  return {data, [state = state_, address, kept = segment.memory()](std::byte*) mutable {
            {
              const std::lock_guard lock(state->mutex);
              state->segments.erase(address);
            }
            kept.reset();
          }};
}

Place Allocations::find(const void* address, std::size_t bytes) const {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::lock_guard lock(state_->mutex);
  auto after = state_->segments.upper_bound(wanted);
  if (after == state_->segments.begin()) return {};
  const auto& [begin, name] = *std::prev(after);
  const std::uint64_t offset = wanted - begin;
  if (offset > name.bytes || bytes > name.bytes - offset) return {};
  return {name, offset};
}

std::byte* Mappings::find(std::size_t owner, const SegmentName& name) {
  std::vector<Segment>& mapped = of_[owner];
  for (const Segment& segment : mapped) {
    if (segment.name() == name) return segment.data();
  }
  return mapped.emplace_back(name).data();
}

void Mappings::drop_closed() {
  for (std::vector<Segment>& mapped : of_)
    std::erase_if(mapped, [](const Segment& segment) { return segment.closed(); });
}

Staging::Places Staging::copy(const ImageView& image) {
  const Format& format = image.format;
  const auto count = static_cast<std::size_t>(image.size.pixels());
  const std::size_t colour = (count * format.colour_bytes() + 63) / 64 * 64;
  const bool with_depth = format.depth && image.pixels.depth != nullptr;
  const std::size_t bytes = colour + (with_depth ? count * sizeof(float) : 0);
  if (!segment_ || segment_->name().bytes < bytes || segment_->name().bytes / 4 > bytes) {
    segment_.reset();
    segment_.emplace(bytes);
  }

  const std::int64_t width = image.size.width;
  const Range part = image.bounds ? Range{image.bounds->y0 * width, image.bounds->y1 * width}
                                  : Range{0, image.size.pixels()};
  const auto begin = static_cast<std::size_t>(part.begin);
  const auto copied = static_cast<std::size_t>(part.size());
  const std::size_t first = begin * format.colour_bytes();
  std::memcpy(segment_->data() + first, image.pixels.colour + first, copied * format.colour_bytes());
  if (!with_depth) return {{segment_->name(), 0}, {}};
  std::memcpy(segment_->data() + colour + begin * sizeof(float), image.pixels.depth + begin,
              copied * sizeof(float));
  return {{segment_->name(), 0}, {segment_->name(), colour}};
}

}  // namespace sortlast
