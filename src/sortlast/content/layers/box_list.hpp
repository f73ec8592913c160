// Box list: a rank's box images, as published to the other ranks of its node.
//
// The header of a publication holds their number and places. The spans are their planes, image by image: the
// colours, and the depths if the format has them. There are no spans if others cannot read all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/layers/box_table.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// The number and format of a rank's images.
struct BoxCount {
  std::uint64_t images = 0;
  Format format;
  bool told = false;  // false: the format is a guess
};

struct BoxList {
  BoxCount count;
  std::vector<PlacedBox> placed;
};

// The header of a publication.
std::vector<std::byte> encode(const BoxList& list);
// The list in a header that was published with `spans` spans. Throws Error if they do not match.
BoxList read_box_list(std::span<const std::byte> header, std::size_t spans, int rank);

// Index of the first span of an image of a rank.
inline std::size_t first_span(const Format& format, std::int32_t index) {
  return static_cast<std::size_t>(index) * (format.depth ? 2 : 1);
}

}  // namespace sortlast
