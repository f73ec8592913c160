// Node images: images that the ranks of a node publish, and read where they lie or through the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/node/node.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

// Offer an image: its planes, which must stay, and what they are of. ImageView::none() has no planes.
Offer offer_of(const ImageView& image);

// Whether the other ranks of a node can read an image where it lies.
bool in_shared_memory(const ImageView& image, const Node& node);

// The image that a rank of a node offered to the last meeting, or to the frame that was attended; none if
// there are no other ranks. Not to be used once it may not be read any more, nor by several threads.
class NodeImage {
 public:
  // Throws Error.
  NodeImage(Node& node, int rank);

  // Its pixels lie in this process if it is in place; else their addresses are those of its own process.
  const ImageView& view() const { return view_; }
  bool in_place() const { return in_place_; }
  // Copy runs of pixels, counted from pixel `origin`, to where each is stored in `to`. Throws Error.
  void pull(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to);

 private:
  Node* node_;
  int rank_;
  ImageView view_;
  ConstPixels addresses_;  // in its own process
  bool in_place_ = false;
  std::vector<RemoteCopy> copies_;  // of a pull
};

}  // namespace sortlast
