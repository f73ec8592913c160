// Node images: images published by the ranks of a node, read in place or through the kernel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/execute/node/node.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

// Offer an image: its planes, which must stay valid, and their format. ImageView::none() has no planes.
Offer offer_of(const ImageView& image);

// Whether the other ranks of a node can read an image in place.
bool in_shared_memory(const ImageView& image, const Node& node);

// The image that a rank of a node offered to the last meeting or to the attended frame; none if there are no
// other ranks. Must not be used after reading has ended, nor by several threads.
class NodeImage {
 public:
  // Throws Error.
  NodeImage(Node& node, int rank);

  // If it is in place, its pixels are mapped in this process; otherwise the addresses are valid in its own
  // process.
  const ImageView& view() const { return view_; }
  bool in_place() const { return in_place_; }
  // Copy runs of pixels, counted from pixel `origin`, to their places in `to`. Throws Error.
  void pull(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to);

 private:
  Node* node_;
  int rank_;
  ImageView view_;
  ConstPixels addresses_;  // in the owner's process
  bool in_place_ = false;
  std::vector<RemoteCopy> copies_;  // of a pull
};

}  // namespace sortlast
