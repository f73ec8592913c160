// Node boxes.
#include "sortlast/execute/mpi/node_boxes.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "sortlast/error.hpp"
#include "sortlast/execute/node/process_memory.hpp"
#include "sortlast/execute/run/pool.hpp"

namespace sortlast {
namespace {

struct Head {
  BoxCount count;
  bool lent = false;
};

std::uint64_t address(const void* data) { return reinterpret_cast<std::uint64_t>(data); }

std::int64_t pixels_of(const PlacedBox& placed) {
  return (placed.box.x1 - placed.box.x0) * (placed.box.y1 - placed.box.y0);
}

}  // namespace

NodeBoxes::NodeBoxes(Node& node)
    : node_(node),
      written_{Bytes([this](std::size_t bytes) { return take(bytes); }),
               Bytes([this](std::size_t bytes) { return take(bytes); })} {}

// Where the system has no more shared memory, any will do: the mates then copy it.
Memory NodeBoxes::take(std::size_t bytes) {
  try {
    return node_.allocate(bytes);
  } catch (const Error&) {
    return Pool().take(bytes);
  }
}

ImageView NodeBoxes::tell(const BoxCount& count, std::span<const PlacedBox> placed,
                          std::span<const ConstPixels> images) {
  Bytes& out = written_[next_];
  next_ = 1 - next_;
  out.shrink(0);
  out.append_value(Head{count, true});
  bool lent = true;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    ToldImage told{placed[i], address(images[i].colour), address(images[i].depth), {}, {}};
    const auto n = static_cast<std::size_t>(pixels_of(placed[i]));
    const auto tell_plane = [&](const void* plane, std::size_t bytes, Place& place) {
      if (bytes == 0) return;
      place = node_.place_of(plane, bytes);
      lent = lent && (!place.none() || node_.neighbours().remote_reads);
    };
    tell_plane(images[i].colour, n * count.format.colour_bytes(), told.colour_place);
    if (count.format.depth) tell_plane(images[i].depth, n * sizeof(float), told.depth_place);
    out.append_value(told);
  }
  const Head head{count, lent};
  std::memcpy(out.data(), &head, sizeof head);
  return {{out.data(), nullptr}, {static_cast<std::int64_t>(out.size()), 1}, {Scalar::uint8, 1, false}, {}};
}

NodeBoxes::Told NodeBoxes::told_by(int rank) const {
  const Node::Image image = node_.image(rank);
  const auto size = static_cast<std::size_t>(image.view.size.pixels());
  Bytes copy;
  const std::byte* from = image.view.pixels.colour;
  if (!image.direct) {
    RemoteSpan span{copy.grow(size), address(from), size};
    node_.read(rank, {&span, 1});
    from = copy.data();
  }
  Head head;
  const auto refuse = [&] {
    throw Error("what rank " + std::to_string(rank) + " tells of its images is damaged");
  };
  if (size < sizeof head) refuse();
  std::memcpy(&head, from, sizeof head);
  if ((size - sizeof head) / sizeof(ToldImage) != head.count.images) refuse();
  Told told{head.count, head.lent, std::vector<ToldImage>(head.count.images)};
  if (!told.images.empty())
    std::memcpy(told.images.data(), from + sizeof head, head.count.images * sizeof(ToldImage));
  return told;
}

// ---- The images -----------------------------------------------------------------------------------

NodeImages::NodeImages(Node& node, std::vector<NodeBoxes::Told> told, const Format& format)
    : node_(node), format_(format), told_(std::move(told)), lying_(told_.size()) {
  for (const int rank : node_.neighbours().members) {
    if (rank == node_.neighbours().rank) continue;
    for (const ToldImage& each : told_[static_cast<std::size_t>(rank)].images) {
      ConstPixels pixels{node_.mapped(rank, each.colour_place), nullptr};
      if (format_.depth && pixels.colour != nullptr) {
        pixels.depth = reinterpret_cast<const float*>(node_.mapped(rank, each.depth_place));
        if (pixels.depth == nullptr) pixels = {};
      }
      lying_[static_cast<std::size_t>(rank)].push_back(pixels);
    }
  }
}

bool NodeImages::lends(std::int32_t rank) const {
  return static_cast<std::size_t>(rank) < told_.size() && told_[static_cast<std::size_t>(rank)].lent;
}

bool NodeImages::pulls_from(std::int32_t rank) const {
  if (!lends(rank)) return false;
  const std::vector<ToldImage>& images = told_[static_cast<std::size_t>(rank)].images;
  return std::any_of(images.begin(), images.end(), [&](const ToldImage& each) {
    return pixels_of(each.placed) > 0 && lying(rank, each.placed.index).colour == nullptr;
  });
}

ConstPixels NodeImages::lying(std::int32_t rank, std::int32_t index) const {
  return lying_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(index)];
}

void NodeImages::fetch(std::int32_t rank, std::span<const Fetch> parts) const {
  std::vector<RemoteSpan> spans;
  for (const Fetch& part : parts) {
    const ToldImage& told =
        told_[static_cast<std::size_t>(rank)].images[static_cast<std::size_t>(part.index)];
    const auto first = static_cast<std::size_t>(part.pixels.begin);
    const auto count = static_cast<std::size_t>(part.pixels.size());
    spans.push_back(
        {part.to.colour, told.colour + first * format_.colour_bytes(), count * format_.colour_bytes()});
    if (format_.depth)
      spans.push_back({reinterpret_cast<std::byte*>(part.to.depth), told.depth + first * sizeof(float),
                       count * sizeof(float)});
  }
  node_.read(rank, spans);
}

}  // namespace sortlast
