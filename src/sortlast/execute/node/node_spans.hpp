// Node spans: the spans published by the ranks of a node, for contents that read them
// (content/pixels/peer_spans.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sortlast/content/pixels/peer_spans.hpp"
#include "sortlast/execute/node/node.hpp"

namespace sortlast {

// The publications of the ranks of the node, made with their offers to the last meeting, by rank. Throws
// Error.
std::vector<Publication> publications(Node& node);

class NodeSpans final : public PeerSpans {
 public:
  // `published` by rank. The spans can be read until Node::wait_until_read(); the node must outlive this.
  // Throws Error.
  NodeSpans(Node& node, const std::vector<Publication>& published);

  std::size_t count(std::int32_t rank) const override;
  std::size_t bytes(std::int32_t rank, std::size_t span) const override { return at(rank, span).bytes; }
  const std::byte* in_place(std::int32_t rank, std::size_t span) const override {
    return at(rank, span).in_place;
  }
  void copy(std::int32_t rank, std::span<const Copy> copies) const override;

 private:
  struct Seen {
    const std::byte* in_place = nullptr;
    std::uint64_t address = 0;  // in the owner's process
    std::size_t bytes = 0;
  };
  const Seen& at(std::int32_t rank, std::size_t span) const {
    return spans_[static_cast<std::size_t>(rank)][span];
  }

  Node& node_;
  std::vector<std::vector<Seen>> spans_;  // by rank
};

}  // namespace sortlast
