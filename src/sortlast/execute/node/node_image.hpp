// Node images: images published by the ranks of a node, read in place, through the kernel, or in the memory
// of a GPU.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sortlast/execute/device/gpu.hpp"
#include "sortlast/execute/node/node.hpp"
#include "sortlast/image.hpp"
#include "sortlast/image/active.hpp"

namespace sortlast {

// Offer an image: its planes, which must stay valid, and their format. ImageView::none() has no planes.
// `exported`: how others read it, if it lies in device memory.
Offer offer_of(const ImageView& image, const ExportedImage* exported = nullptr);

// Whether the other ranks of a node can read an image in place.
bool in_shared_memory(const ImageView& image, const Node& node);

// The image that a rank of a node offered to the last meeting or to the attended frame; none if there are no
// other ranks. Must not be used after reading has ended, nor by several threads.
class NodeImage {
 public:
  // Throws Error.
  NodeImage(Node& node, int rank);

  // If it is in place, its pixels are mapped in this process; otherwise the addresses are valid in its own
  // process. An image in device memory is not in place.
  const ImageView& view() const { return view_; }
  bool in_place() const { return in_place_; }
  // How to read it, if it lies in device memory.
  const ExportedImage* exported() const { return exported_ ? &*exported_ : nullptr; }
  // Copy runs of pixels, counted from pixel `origin`, to their places in `to`. Throws Error.
  void pull(std::int64_t origin, std::span<const ActiveRun> runs, Pixels to);

 private:
  Node* node_;
  int rank_;
  ImageView view_;
  ConstPixels addresses_;  // in the owner's process
  bool in_place_ = false;
  std::optional<ExportedImage> exported_;
  std::vector<RemoteCopy> copies_;  // of a pull
};

}  // namespace sortlast
