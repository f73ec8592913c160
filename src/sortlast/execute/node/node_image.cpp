// Node images.
#include "sortlast/execute/node/node_image.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

struct Header {
  Size size;
  Format format;
  std::optional<Rectangle> bounds;
};
static_assert(std::is_trivially_copyable_v<Header>);

// The planes of an image. Others read only the rows within its bounds.
std::vector<Span> planes_of(const ImageView& image) {
  std::vector<Span> planes;
  if (image.is_none()) return planes;
  const auto add = [&](const void* plane, std::size_t pixel_bytes) {
    Span span{plane, static_cast<std::size_t>(image.size.pixels()) * pixel_bytes};
    const std::int64_t row_bytes = image.size.width * static_cast<std::int64_t>(pixel_bytes);
    span.on_device = image.memory == MemoryKind::device;
    if (image.bounds) span.needed = {image.bounds->y0 * row_bytes, image.bounds->y1 * row_bytes};
    planes.push_back(span);
  };
  add(image.pixels.colour, image.format.colour_bytes());
  if (image.format.depth && image.pixels.depth != nullptr) add(image.pixels.depth, sizeof(float));
  return planes;
}

}  // namespace

Offer offer_of(const ImageView& image, const ExportedImage* exported) {
  Offer offer;
  const Header header{image.size, image.format, image.bounds};
  offer.header.resize(sizeof header + (exported != nullptr ? sizeof *exported : 0));
  std::memcpy(offer.header.data(), &header, sizeof header);
  if (exported != nullptr) std::memcpy(offer.header.data() + sizeof header, exported, sizeof *exported);
  offer.spans = planes_of(image);
  return offer;
}

bool in_shared_memory(const ImageView& image, const Node& node) {
  const std::vector<Span> planes = planes_of(image);
  return std::all_of(planes.begin(), planes.end(), [&](const Span& plane) { return node.shares(plane); });
}

NodeImage::NodeImage(Node& node, int rank) : node_(&node), rank_(rank) {
  const Publication published = node.publication(rank);
  if (published.header().empty() && published.spans() == 0) return;
  Header header;
  const std::size_t bytes = published.header().size();
  if ((bytes != sizeof header && bytes != sizeof header + sizeof(ExportedImage)) || published.spans() > 2)
    throw Error("the image that rank " + std::to_string(rank) + " published is damaged");
  std::memcpy(&header, published.header().data(), sizeof header);
  view_ = {{}, header.size, header.format, header.bounds};
  if (published.spans() == 0) return;
  if (bytes > sizeof header) {
    view_.memory = MemoryKind::device;
    exported_.emplace();
    std::memcpy(&*exported_, published.header().data() + sizeof header, sizeof *exported_);
  }

  // The image is in place if all of its planes are.
  std::array<const std::byte*, 2> addresses{};
  std::array<const std::byte*, 2> planes{};
  in_place_ = true;
  for (std::size_t i = 0; i < published.spans(); ++i) {
    const SpanRecord span = published.span(i);
    addresses[i] = reinterpret_cast<const std::byte*>(span.address);  // NOLINT(performance-no-int-to-ptr)
    planes[i] = node.in_place(rank, span);
    in_place_ = in_place_ && planes[i] != nullptr;
  }
  addresses_ = {addresses[0], reinterpret_cast<const float*>(addresses[1])};
  view_.pixels = in_place_ ? ConstPixels{planes[0], reinterpret_cast<const float*>(planes[1])} : addresses_;
}

void NodeImage::pull(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to) {
  copies_.clear();
  const auto add = [&](const void* plane, void* target, std::size_t pixel_bytes) {
    if (plane == nullptr || target == nullptr) return;
    const auto address = reinterpret_cast<std::uint64_t>(plane);
    for (const ActiveRun& run : runs) {
      const auto first = static_cast<std::uint64_t>(origin) + run.begin;
      copies_.push_back({static_cast<std::byte*>(target) + run.at * pixel_bytes,
                         address + first * pixel_bytes, run.count * pixel_bytes});
    }
  };
  add(addresses_.colour, to.colour, view_.format.colour_bytes());
  add(addresses_.depth, to.depth, sizeof(float));
  node_->read(rank_, copies_);
}

}  // namespace sortlast
