// Layer sharing.
#include "sortlast/execute/mpi/layer_sharing.hpp"

#include <cstring>
#include <string>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint64_t meeting_of_layers = 0x6c61796572;  // the hash that all ranks of the node bring

}  // namespace

LayerSharing::LayerSharing(Node& node, Pool& pool)
    : node_(node), pool_(pool), strings_([this](std::size_t bytes) { return take(bytes); }) {}

// Where the system has no more shared memory, any will do: the peers then copy what they need.
Memory LayerSharing::take(std::size_t bytes) {
  try {
    return node_.allocate(bytes);
  } catch (const Error&) {
    return pool_.take(bytes);
  }
}

void LayerSharing::begin(std::size_t count) {
  strings_.shrink(0);
  labels_.clear();
  labels_.reserve(count);
  ranges_.clear();
  ranges_.reserve(count);
}

void LayerSharing::add(int peer, std::uint32_t number, const std::function<void(Bytes&)>& write) {
  strings_.align(line);
  const auto begin = static_cast<std::int64_t>(strings_.size());
  write(strings_);
  labels_.push_back({peer, number});
  ranges_.push_back({begin, static_cast<std::int64_t>(strings_.size())});
}

// The header labels the spans, which are the strings.
void LayerSharing::meet(std::size_t frame_bytes) {
  Offer offer;
  offer.hash = meeting_of_layers;
  offer.frame_bytes = frame_bytes;
  offer.header.resize(labels_.size() * sizeof(Label));
  if (!labels_.empty()) std::memcpy(offer.header.data(), labels_.data(), offer.header.size());
  for (const Range& range : ranges_)
    offer.spans.push_back({strings_.data() + range.begin, static_cast<std::size_t>(range.size())});
  if (!node_.meet(offer, "composite")) throw Error("the ranks of a node have not agreed on the frame");
}

LayerSharing::String LayerSharing::find(int peer, std::uint32_t number) {
  const Publication published = node_.publication(peer);
  for (std::size_t i = 0; i < published.spans.size(); ++i) {
    Label label;
    if ((i + 1) * sizeof label > published.header.size()) break;
    std::memcpy(&label, published.header.data() + i * sizeof label, sizeof label);
    if (label.peer != node_.neighbours().rank || label.number != number) continue;
    const SpanRecord& span = published.spans[i];
    if (const std::byte* const bytes = node_.in_place(peer, span); bytes != nullptr)
      return {{bytes, span.bytes}, nullptr, true};
    const Memory copied = pool_.take(span.bytes);
    RemoteCopy copy{copied.get(), span.address, span.bytes};
    node_.read(peer, {&copy, 1});
    return {{copied.get(), span.bytes}, copied, false};
  }
  throw Error("rank " + std::to_string(peer) + " shares no string " + std::to_string(number) +
              " with this rank");
}

void LayerSharing::end() {
  for (const int peer : node_.neighbours().members)
    if (peer != node_.neighbours().rank) node_.release(peer);
  node_.wait_until_read("composite");
}

}  // namespace sortlast
