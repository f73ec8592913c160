// Node boxes: what the ranks of a node tell each other of their images of boxes, in memory that all of them
// can read; and these images, read where they lie or through the kernel.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sortlast/execute/layers/box_table.hpp"
#include "sortlast/execute/layers/bytes.hpp"
#include "sortlast/execute/layers/image_memory.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/execute/node/shared_images.hpp"
#include "sortlast/image.hpp"

namespace sortlast {

// What a rank tells of its images as a whole.
struct BoxCount {
  std::uint64_t images = 0;
  Format format;
  bool told = false;        // the format is not a guess
  std::uint64_t bytes = 0;  // of their pixels, but for empty ones that can be left out
};

// One image of a rank, as others of its node see it.
struct ToldImage {
  PlacedBox placed;
  std::uint64_t colour = 0;  // address in its process
  std::uint64_t depth = 0;
  Place colour_place;
  Place depth_place;
};

class NodeBoxes {
 public:
  explicit NodeBoxes(Node& node);

  // Write down this rank's images, of `placed`, and return what is to be offered to the next meeting. They
  // are lent if the mates can read all of them.
  ImageView tell(const BoxCount& count, std::span<const PlacedBox> placed,
                 std::span<const ConstPixels> images);

  // What a rank of the node told in the last meeting, before the next one. Throws Error if it is damaged.
  struct Told {
    BoxCount count;
    bool lent = false;
    std::vector<ToldImage> images;
  };
  Told told_by(int rank) const;

 private:
  Memory take(std::size_t bytes);

  Node& node_;
  // Mates may still read that of the last meeting when the next one's is written: see Seat.
  std::array<Bytes, 2> written_;
  std::size_t next_ = 0;
};

// The images of the ranks of a node.
class NodeImages final : public ImageMemory {
 public:
  // `told`: by rank, of those of the node; empty for others. They can be read until Node::wait_until_read().
  NodeImages(Node& node, std::vector<NodeBoxes::Told> told, const Format& format);

  bool lends(std::int32_t rank) const override;
  bool pulls_from(std::int32_t rank) const override;
  ConstPixels lying(std::int32_t rank, std::int32_t index) const override;
  void fetch(std::int32_t rank, std::span<const Fetch> parts) const override;

 private:
  Node& node_;
  Format format_;
  std::vector<NodeBoxes::Told> told_;
  std::vector<std::vector<ConstPixels>> lying_;  // by rank and index; null: not mapped here
};

}  // namespace sortlast
