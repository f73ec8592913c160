// Node spans.
#include "sortlast/execute/node/node_spans.hpp"

namespace sortlast {

std::vector<Publication> publications(Node& node) {
  std::vector<Publication> published(node.nodes().size());
  for (const int rank : node.neighbours().members)
    published[static_cast<std::size_t>(rank)] = node.publication(rank);
  return published;
}

NodeSpans::NodeSpans(Node& node, const std::vector<Publication>& published)
    : node_(node), spans_(published.size()) {
  for (std::size_t rank = 0; rank < published.size(); ++rank)
    for (std::size_t i = 0; i < published[rank].spans(); ++i) {
      const SpanRecord span = published[rank].span(i);
      spans_[rank].push_back({node.in_place(static_cast<int>(rank), span), span.address, span.bytes});
    }
}

std::size_t NodeSpans::count(std::int32_t rank) const {
  const auto number = static_cast<std::size_t>(rank);
  return number < spans_.size() ? spans_[number].size() : 0;
}

void NodeSpans::copy(std::int32_t rank, std::span<const Copy> copies) const {
  std::vector<RemoteCopy> remote;
  remote.reserve(copies.size());
  for (const Copy& part : copies)
    remote.push_back({part.to, at(rank, part.span).address + part.first, part.bytes});
  node_.read(rank, remote);
}

}  // namespace sortlast
