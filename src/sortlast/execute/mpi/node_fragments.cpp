// Node fragments.
#include "sortlast/execute/mpi/node_fragments.hpp"

#include <array>

#include "sortlast/execute/layers/fragments/own_fragments.hpp"
#include "sortlast/execute/node/process_memory.hpp"

namespace sortlast {

NodeFragments::NodeFragments(Node& node, std::int32_t p) : node_(node), images_(static_cast<std::size_t>(p)) {
  for (const int member : node.neighbours().members)
    images_[static_cast<std::size_t>(member)] = node.image(member);
}

std::size_t NodeFragments::size(std::uint32_t rank) const {
  if (rank >= images_.size() || images_[rank].view.is_none()) return 0;
  return static_cast<std::size_t>(images_[rank].view.size.pixels());
}

void NodeFragments::read(std::size_t first, FragmentLists& lists, ListRoom& room) const {
  const Node::Image& image = images_[lists.rank];
  const auto* const depth = reinterpret_cast<const std::byte*>(image.view.pixels.depth);
  const std::size_t each_colour = colour_bytes(lists.scalar);
  if (image.direct) {
    lists.colour = image.view.pixels.colour + first * each_colour;
    lists.depth = depth + first * sizeof(float);
    return;
  }
  room.colour.shrink(0);
  room.depth.shrink(0);
  std::array<RemoteSpan, 2> spans;
  const auto copy = [&](const std::byte* from, Bytes& to, std::size_t bytes) {
    return RemoteSpan{to.grow(bytes), reinterpret_cast<std::uint64_t>(from), bytes};
  };
  spans[0] = copy(image.view.pixels.colour + first * each_colour, room.colour, lists.size * each_colour);
  spans[1] = copy(depth + first * sizeof(float), room.depth, lists.size * sizeof(float));
  node_.read(static_cast<int>(lists.rank), spans);
  lists.colour = room.colour.data();
  lists.depth = room.depth.data();
}

ImageView fragments_as_image(const FragmentsView& fragments) {
  const Size size{static_cast<std::int64_t>(fragments.depth.size()), 1};
  const Format format{fragments.scalar, 4, true};
  if (fragments.depth.empty()) return ImageView::none(size, format);
  return {{fragment_colours(fragments), fragments.depth.data()}, size, format, {}};
}

}  // namespace sortlast
