// Layer sharing.
#include "sortlast/execute/mpi/layer_sharing.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "sortlast/error.hpp"

namespace sortlast {
namespace {

constexpr std::size_t line = 64;
constexpr std::uint64_t meeting_of_layers = 0x6c61796572;  // what all ranks of the node bring

struct Entry {  // of the list, which its number of entries precedes
  std::int32_t mate = 0;
  std::uint32_t number = 0;
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
};

// Bytes are offered as the pixels of an image.
constexpr Format bytes_as_pixels{Scalar::uint8, 1, false};

ImageView offered(const std::byte* bytes, std::size_t count) {
  return {{bytes, nullptr}, {static_cast<std::int64_t>(count), 1}, bytes_as_pixels, {}};
}

}  // namespace

LayerSharing::LayerSharing(Node& node, Pool& pool)
    : node_(node),
      pool_(pool),
      rank_(node.neighbours().rank),
      strings_([this](std::size_t bytes) { return take(bytes); }) {}

// Where the system has no more shared memory, any will do: the mates then copy what they need.
Memory LayerSharing::take(std::size_t bytes) {
  try {
    return node_.allocate(bytes);
  } catch (const Error&) {
    return pool_.take(bytes);
  }
}

void LayerSharing::begin(std::size_t count) {
  strings_.shrink(0);
  strings_.append_value(std::uint64_t{count});
  listed_ = strings_.size();
  strings_.grow(count * sizeof(Entry));
}

void LayerSharing::add(int mate, std::uint32_t number, const std::function<void(Bytes&)>& write) {
  strings_.align(line);
  const std::size_t begin = strings_.size();
  write(strings_);
  const Entry entry{mate, number, begin, strings_.size() - begin};
  std::memcpy(strings_.data() + listed_, &entry, sizeof entry);
  listed_ += sizeof entry;
}

void LayerSharing::meet(std::size_t frame_bytes) {
  Offer offer;
  offer.hash = meeting_of_layers;
  offer.image = offered(strings_.data(), strings_.size());
  offer.frame_bytes = frame_bytes;
  if (!node_.meet(offer, "composite")) throw Error("the ranks of a node have not agreed on the frame");
}

LayerSharing::String LayerSharing::find(int mate, std::uint32_t number) {
  const Node::Image image = node_.image(mate);
  const auto size = static_cast<std::size_t>(image.view.size.pixels());
  const auto pull = [&](std::size_t begin, std::size_t bytes) {
    const Memory copy = pool_.take(bytes);
    constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() / 2;
    for (std::size_t at = 0; at < bytes; at += most) {
      const ActiveRun run{0, static_cast<std::uint32_t>(std::min(most, bytes - at)), 0};
      node_.pull(mate, static_cast<std::int64_t>(begin + at), {&run, 1}, {copy.get() + at, nullptr});
    }
    return copy;
  };
  const auto read = [&](std::size_t begin, std::size_t bytes) -> String {
    if (begin > size || bytes > size - begin)
      throw Error("the strings that rank " + std::to_string(mate) + " shares are damaged");
    if (image.direct) return {{image.view.pixels.colour + begin, bytes}, nullptr, true};
    const Memory copy = pull(begin, bytes);
    return {{copy.get(), bytes}, copy, false};
  };

  // Look through the list.
  std::uint64_t count = 0;
  std::memcpy(&count, read(0, sizeof count).bytes.data(), sizeof count);
  if (count > size / sizeof(Entry)) count = size;  // which read() refuses
  const String list = read(sizeof count, count * sizeof(Entry));
  for (std::uint64_t i = 0; i < count; ++i) {
    Entry entry;
    std::memcpy(&entry, list.bytes.data() + i * sizeof entry, sizeof entry);
    if (entry.mate == rank_ && entry.number == number) return read(entry.begin, entry.bytes);
  }
  throw Error("rank " + std::to_string(mate) + " shares no string " + std::to_string(number) +
              " with this rank");
}

void LayerSharing::end() {
  for (const int mate : node_.neighbours().members)
    if (mate != rank_) node_.release(mate);
  node_.wait_until_read("composite");
}

}  // namespace sortlast
