// Node fragments: those of the ranks of a node, read where they lie or through the kernel.
#pragma once

#include <vector>

#include "sortlast/execute/layers/fragments/fragment_memory.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/fragments.hpp"

namespace sortlast {

class NodeFragments final : public FragmentMemory {
 public:
  // After a meeting of the node in which each rank offered its fragments, as fragments_as_image() has them,
  // or none. They can be read until Node::wait_until_read(). p ranks in all; the node must stay.
  NodeFragments(Node& node, std::int32_t p);

  std::size_t size(std::uint32_t rank) const override;
  bool pulls_from(std::uint32_t rank) const override { return size(rank) > 0 && !images_[rank].direct; }
  void read(std::size_t first, FragmentLists& lists, ListRoom& room) const override;

 private:
  Node& node_;
  std::vector<Node::Image> images_;  // by rank
};

// A rank's fragments as an image of one row; none if there are none.
ImageView fragments_as_image(const FragmentsView& fragments);

}  // namespace sortlast
