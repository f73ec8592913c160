// Box list.
#include "sortlast/content/layers/box_list.hpp"

#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {

std::vector<std::byte> encode(const BoxList& list) {
  const std::size_t placed = list.placed.size() * sizeof(PlacedBox);
  std::vector<std::byte> header(sizeof list.count + placed);
  std::memcpy(header.data(), &list.count, sizeof list.count);
  if (placed > 0) std::memcpy(header.data() + sizeof list.count, list.placed.data(), placed);
  return header;
}

BoxList read_box_list(std::span<const std::byte> header, std::size_t spans, int rank) {
  BoxList list;
  const auto refuse = [&] {
    throw Error("the list of images that rank " + std::to_string(rank) + " published is damaged");
  };
  if (header.size() < sizeof list.count) refuse();
  std::memcpy(&list.count, header.data(), sizeof list.count);
  const std::span<const std::byte> placed = header.subspan(sizeof list.count);
  if (placed.size() / sizeof(PlacedBox) != list.count.images) refuse();
  const std::size_t expected = list.count.images * (list.count.format.depth ? 2 : 1);
  if (spans != 0 && spans != expected) refuse();
  list.placed.resize(list.count.images);
  if (!placed.empty()) std::memcpy(list.placed.data(), placed.data(), placed.size());
  return list;
}

}  // namespace sortlast
